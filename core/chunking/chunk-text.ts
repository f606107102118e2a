import type { Chunk, ChunkRequest } from '../../contract/http/chunk.ts'
import { runAtOnce, SLICE_STEPS, type SlicedWork } from '../sliced-work.ts'
import { BREAK, findingBoundaries } from './boundaries.ts'
import type { Boundaries } from './boundaries.ts'
import { ChunkingError } from './errors.ts'
import { cuttingWindows } from './windows.ts'
import type { Span, WindowRules } from './windows.ts'

/** A chunk request whose finer settings may be left out; there is no limit on the length of the text here. */
export type ChunkSettings = Pick<ChunkRequest, 'text' | 'strategy' | 'chunk_size' | 'overlap'> &
  Partial<Pick<ChunkRequest, 'tokenizer' | 'semantic_threshold' | 'min_characters_per_sentence'>>

/**
 * A paragraph, line or sentence is worth a chunk that is half empty, hardly one that is four fifths empty; a word break is taken
 * wherever it is, since the alternative is to cut a word.
 */
const NATURAL_BREAKS = [
  { strength: BREAK.paragraph, fill: 0.5 },
  { strength: BREAK.line, fill: 0.5 },
  { strength: BREAK.sentence, fill: 0.5 },
  { strength: BREAK.paragraph, fill: 0.2 },
  { strength: BREAK.line, fill: 0.2 },
  { strength: BREAK.sentence, fill: 0.2 },
  { strength: BREAK.word, fill: 0 },
]
const WORD_BREAKS = [{ strength: BREAK.word, fill: 0.5 }]

/**
 * Chunks of a text by the strategies that need no model. Size and overlap count characters (UTF-16 units) for recursive and tokens
 * for token. Throws `ChunkingError`: `unknown_tokenizer`, `too_much_overlap`, and `embedding_missing` for semantic.
 */
export const chunkText = (settings: ChunkSettings): Chunk[] => runAtOnce(chunkingText(settings))

/** The same in slices, for texts of any length. */
export function* chunkingText(settings: ChunkSettings): SlicedWork<Chunk[]> {
  if (settings.strategy === 'semantic') {
    throw new ChunkingError('embedding_missing', 'the semantic strategy needs an embedding model')
  }
  return yield* cuttingChunks(settings, yield* findingBoundaries(settings.text), [])
}

/** The chunks between breaks of a text; no chunk crosses a wall. */
export function* cuttingChunks(
  settings: ChunkSettings,
  boundaries: Boundaries,
  walls: readonly number[],
): SlicedWork<Chunk[]> {
  const { text, strategy, overlap, chunk_size: size } = settings
  const tokens = yield* findingTokens(text, settings.tokenizer ?? 'words')
  if (overlap >= size)
    throw new ChunkingError('too_much_overlap', `overlap ${overlap} must be less than chunk_size ${size}`)
  const rules = strategy === 'token' ? tokenRules(tokens, size, overlap) : characterRules(size, overlap, walls)
  const spans = yield* cuttingWindows(text, boundaries, rules)
  const chunks: Chunk[] = []
  for (const [index, span] of spans.entries()) {
    chunks.push(toChunk(text, tokens, span, index))
    yield
  }
  return chunks
}

function characterRules(size: number, overlap: number, walls: readonly number[]): WindowRules {
  let passed = 0
  return {
    reach: (start) => start + size,
    startReaching: (end) => end - size,
    back: (end) => end - overlap,
    // Asked with rising offsets only.
    wall: (after) => {
      while (passed < walls.length && walls[passed]! <= after) passed += 1
      return walls[passed] ?? Infinity
    },
    preferences: NATURAL_BREAKS,
  }
}

function tokenRules(tokens: TokenSpans, size: number, overlap: number): WindowRules {
  const last = tokens.starts.length - 1
  const startOf = (index: number): number => tokens.starts[Math.max(0, index)] ?? 0
  return {
    reach: (start) => tokens.ends[Math.min(last, tokensEndingBy(tokens, start) + size - 1)] ?? 0,
    startReaching: (end) => startOf(tokensStartingBefore(tokens, end) - size),
    back: (end) => (overlap === 0 ? end : startOf(tokensStartingBefore(tokens, end) - overlap)),
    wall: () => Infinity,
    preferences: WORD_BREAKS,
  }
}

const toChunk = (text: string, tokens: TokenSpans, { start, end }: Span, index: number): Chunk => ({
  index,
  start_char: start,
  end_char: end,
  content: text.slice(start, end),
  token_count: countTokens(tokens, start, end),
  metadata: {},
})

/** Describes where the tokens of a text start and end, in order; blanks between tokens belong to none. */
interface TokenSpans {
  starts: Uint32Array
  ends: Uint32Array
}

/**
 * Tokenizers that need no vocabulary file. words: a run of letters and digits (a longer run than 64 counts as several), one
 * ideograph or character of a script without spaces, or one mark. characters: one non-blank code point.
 */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  words:
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}\p{M}]){1,64}|\S/gu,
  characters: /\S/gu,
}

/** The tokens of a text; throws `ChunkingError` for a tokenizer that is not here. */
function* findingTokens(text: string, tokenizer: string): SlicedWork<TokenSpans> {
  const pattern = Object.hasOwn(PATTERNS, tokenizer) ? PATTERNS[tokenizer] : undefined
  if (pattern === undefined) {
    const known = Object.keys(PATTERNS).join(', ')
    throw new ChunkingError('unknown_tokenizer', `unknown tokenizer '${tokenizer}' (available: ${known})`)
  }
  const starts: number[] = []
  const ends: number[] = []
  for (const match of text.matchAll(pattern)) {
    starts.push(match.index)
    ends.push(match.index + match[0].length)
    if (starts.length % SLICE_STEPS === 0) yield
  }
  return { starts: new Uint32Array(starts), ends: new Uint32Array(ends) }
}

/** Returns how many tokens lie, at least partly, between two offsets. */
function countTokens(tokens: TokenSpans, from: number, to: number): number {
  return tokensStartingBefore(tokens, to) - tokensEndingBy(tokens, from)
}

/** Number of tokens that end at the offset or before it: the index of the first one that reaches past it. */
const tokensEndingBy = (tokens: TokenSpans, offset: number): number => lowerBound(tokens.ends, offset + 1)

const tokensStartingBefore = (tokens: TokenSpans, offset: number): number => lowerBound(tokens.starts, offset)

function lowerBound(sorted: Uint32Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
