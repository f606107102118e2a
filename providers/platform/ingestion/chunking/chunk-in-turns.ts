import type { Chunk } from '../../../../contract/http/chunk.ts'
import { findingBoundaries } from '../../../../core/chunking/boundaries.ts'
import { chunkingText, type ChunkSettings, cuttingChunks } from '../../../../core/chunking/chunk-text.ts'
import { runInTurns } from '../../stores/graph-engine/sliced-work.ts'
import { findSubjectChanges } from './semantic.ts'
import type { EmbedTexts, SubjectChanges } from './semantic.ts'

export interface SemanticChunks {
  chunks: Chunk[]
  /** Similarity below which two neighbouring sentence groups were parted; null for the other strategies and single sentences. */
  similarityCut: number | null
}

/** Keeps where the subject of texts changes, so that their sentences are embedded once. */
export interface KnownChanges {
  get(text: string): SubjectChanges | null
  put(text: string, changes: SubjectChanges): void
}

/**
 * Chunks of a text by any strategy, while other requests run; semantic asks `embed` for its sentences. Throws `ChunkingError`, also
 * `embedding_failed`.
 */
export async function chunkTextWith(
  settings: ChunkSettings,
  embed: EmbedTexts,
  known?: KnownChanges | null,
  signal?: AbortSignal,
): Promise<SemanticChunks> {
  if (settings.strategy !== 'semantic')
    return { chunks: await runInTurns(chunkingText(settings), signal), similarityCut: null }
  const boundaries = await runInTurns(findingBoundaries(settings.text), signal)
  const { semantic_threshold: threshold = 0.8, min_characters_per_sentence: minCharacters = 24 } = settings
  const changes =
    known?.get(settings.text) ??
    (await findSubjectChanges(settings.text, boundaries, { threshold, minCharacters }, embed))
  known?.put(settings.text, changes)
  const { walls, cut } = changes
  return { chunks: await runInTurns(cuttingChunks(settings, boundaries, walls), signal), similarityCut: cut }
}
