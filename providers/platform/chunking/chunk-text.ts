import type { Chunk, ChunkRequest } from '../../../contract/index.ts'
import { BREAK, findBoundaries } from './boundaries.ts'
import type { Boundaries } from './boundaries.ts'
import { ChunkingError } from './errors.ts'
import { findSubjectChanges } from './semantic.ts'
import type { EmbedTexts, SubjectChanges } from './semantic.ts'
import { cutWindows } from './windows.ts'
import type { Span, WindowRules } from './windows.ts'

/** A chunk request whose finer settings may be left out; there is no limit on the length of the text here. */
export type ChunkSettings = Pick<ChunkRequest, 'text' | 'strategy' | 'chunk_size' | 'overlap'> &
  Partial<Pick<ChunkRequest, 'tokenizer' | 'semantic_threshold' | 'min_characters_per_sentence'>>

export interface SemanticChunks {
  chunks: Chunk[]
  /** Similarity below which two neighbouring sentence groups were parted; null for the other strategies and single sentences. */
  similarityCut: number | null
}

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
export function chunkText(settings: ChunkSettings): Chunk[] {
  if (settings.strategy === 'semantic') {
    throw new ChunkingError('embedding_missing', 'the semantic strategy needs an embedding model')
  }
  return cutChunks(settings, findBoundaries(settings.text), [])
}

/** Keeps where the subject of texts changes, so that their sentences are embedded once. */
export interface KnownChanges {
  get(text: string): SubjectChanges | null
  put(text: string, changes: SubjectChanges): void
}

/** Chunks of a text by any strategy; semantic asks `embed` for its sentences. Throws `ChunkingError`, also `embedding_failed`. */
export async function chunkTextWith(
  settings: ChunkSettings,
  embed: EmbedTexts,
  known?: KnownChanges | null,
): Promise<SemanticChunks> {
  if (settings.strategy !== 'semantic') return { chunks: chunkText(settings), similarityCut: null }
  const boundaries = findBoundaries(settings.text)
  const { semantic_threshold: threshold = 0.8, min_characters_per_sentence: minCharacters = 24 } = settings
  const changes =
    known?.get(settings.text) ??
    (await findSubjectChanges(settings.text, boundaries, { threshold, minCharacters }, embed))
  known?.put(settings.text, changes)
  const { walls, cut } = changes
  return { chunks: cutChunks(settings, boundaries, walls), similarityCut: cut }
}

function cutChunks(settings: ChunkSettings, boundaries: Boundaries, walls: readonly number[]): Chunk[] {
  const { text, strategy, overlap, chunk_size: size } = settings
  const tokens = tokenSpans(text, settings.tokenizer ?? 'words')
  if (overlap >= size)
    throw new ChunkingError('too_much_overlap', `overlap ${overlap} must be less than chunk_size ${size}`)
  const rules = strategy === 'token' ? tokenRules(tokens, size, overlap) : characterRules(size, overlap, walls)
  return cutWindows(text, boundaries, rules).map((span, index) => toChunk(text, tokens, span, index))
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

/** Where the tokens of a text start and end, in order; blanks between tokens belong to none. */
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
function tokenSpans(text: string, tokenizer: string): TokenSpans {
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
  }
  return { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) }
}

/** How many tokens lie, at least partly, between two offsets. */
function countTokens(tokens: TokenSpans, from: number, to: number): number {
  return tokensStartingBefore(tokens, to) - tokensEndingBy(tokens, from)
}

/** Number of tokens that end at the offset or before it: the index of the first one that reaches past it. */
const tokensEndingBy = (tokens: TokenSpans, offset: number): number => lowerBound(tokens.ends, offset + 1)

/** Number of tokens that start before the offset. */
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
