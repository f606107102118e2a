import { createPauses } from '../../stores/graph-engine/sliced-work.ts'
import { BREAK } from '../../../../core/chunking/boundaries.ts'
import type { Boundaries } from '../../../../core/chunking/boundaries.ts'
import { ChunkingError } from '../../../../core/chunking/errors.ts'
import type { Span } from '../../../../core/chunking/windows.ts'

/** Vectors of texts in their order, all of one dimension. */
export type EmbedTexts = (texts: string[]) => Promise<Float32Array[]>

/** Offsets where the subject changes, and the similarity below which it does; null for a single sentence. */
export interface SubjectChanges {
  walls: number[]
  cut: number | null
}

const EMBED_BATCH = 128
/** Sentence groups on each side of a gap that are compared: one alone is too short to show its subject. */
const SIDE = 3

/**
 * Offsets where the subject changes: gaps between sentences whose similarity falls below `threshold` times the text's median. The
 * median makes one threshold fit embeddings of any contrast; a text of even similarity has no gap. `cut` is that limit.
 */
export async function findSubjectChanges(
  text: string,
  boundaries: Boundaries,
  settings: { threshold: number; minCharacters: number },
  embed: EmbedTexts,
): Promise<SubjectChanges> {
  const sentences = sentenceSpans(boundaries, settings.minCharacters)
  if (sentences.length < 2) return { walls: [], cut: null }
  const vectors = await embedAll(
    sentences.map(({ start, end }) => text.slice(start, end)),
    embed,
  )
  const pause = createPauses()
  const similarities: number[] = []
  for (let gap = 1; gap < sentences.length; gap += 1) {
    await pause()
    const [before, after] = [vectors.slice(Math.max(0, gap - SIDE), gap), vectors.slice(gap, gap + SIDE)]
    similarities.push(cosine(sum(before), sum(after)))
  }
  const cut = settings.threshold * Math.max(0, median(similarities))
  const walls = similarities.flatMap((_, gap) => (isDrop(similarities, gap, cut) ? [sentences[gap]!.end] : []))
  return { walls, cut }
}

/** The lowest point of a drop: groups of sentences are compared, so the gaps beside a change are low as well. */
function isDrop(similarities: readonly number[], gap: number, cut: number): boolean {
  const similarity = similarities[gap]!
  const [before, after] = [similarities[gap - 1] ?? Infinity, similarities[gap + 1] ?? Infinity]
  return similarity < cut && similarity < before && similarity <= after
}

/** Sentences of a text; one shorter than `minCharacters` goes with the next, the last with the one before. */
function sentenceSpans({ ends, starts, first, last }: Boundaries, minCharacters: number): Span[] {
  const spans: Span[] = []
  let start = first
  for (let end = first + 1; end < last; end += 1) {
    if (ends[end]! < BREAK.sentence || end - start < minCharacters) continue
    spans.push({ start, end })
    start = end
    while (starts[start] === BREAK.none) start += 1
  }
  const former = spans.at(-1)
  if (former !== undefined && last - start < minCharacters) former.end = last
  else if (start < last) spans.push({ start, end: last })
  return spans
}

async function embedAll(texts: string[], embed: EmbedTexts): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let from = 0; from < texts.length; from += EMBED_BATCH) {
    const batch = texts.slice(from, from + EMBED_BATCH)
    const embedded = await embed(batch).catch((cause: unknown) => {
      if (cause instanceof ChunkingError) throw cause
      throw new ChunkingError('embedding_failed', 'the embedding model failed', { cause })
    })
    if (embedded.length !== batch.length) {
      throw new ChunkingError('embedding_failed', `${embedded.length} embeddings for ${batch.length} sentences`)
    }
    vectors.push(...embedded)
  }
  return vectors
}

function sum(vectors: readonly Float32Array[]): Float64Array {
  const total = new Float64Array(vectors[0]!.length)
  for (const vector of vectors) vector.forEach((component, index) => (total[index] = total[index]! + component))
  return total
}

function cosine(left: Float64Array, right: Float64Array): number {
  let [dot, leftSquares, rightSquares] = [0, 0, 0]
  left.forEach((component, index) => {
    dot += component * right[index]!
    leftSquares += component * component
    rightSquares += right[index]! * right[index]!
  })
  return leftSquares === 0 || rightSquares === 0 ? 0 : dot / Math.sqrt(leftSquares * rightSquares)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
