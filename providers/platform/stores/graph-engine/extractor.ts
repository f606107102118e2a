import { hash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '../../../../core/canonical-json.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { extractTexts } from '../../models/prompts/extract-task.ts'

/** Version of the code that reads replies and extracts by rules; raised when either gives something else for the same text. */
export const EXTRACTION_CODE = 'extraction 3'

/** States how often a language model is asked for what it left out, as LightRAG asks it by default. Rules leave nothing out by chance. */
export const GLEANINGS = 1

/** Describes what reads the documents of a graph. A document that was read by anything else is read again. */
const Extractor = z.object({
  model: z.string(),
  /** Digest of the prompt and of the schema of its reply. */
  prompt: z.string(),
  /** Left out where they are the prompt's own. */
  entity_types: z.array(z.string()).optional(),
  /** Most characters of a chunk. */
  chunking: z.int(),
  /** Further turns of a language model; left out for rules. */
  gleanings: z.int().optional(),
  code: z.string(),
})
export type Extractor = z.infer<typeof Extractor>

/** The record of what reads documents now, as documents store it. */
export function extractorRecord(
  models: Pick<ModelHost, 'writer' | 'isBuiltin'>,
  entityTypes: readonly string[] | undefined,
  chunkChars: number,
): string {
  const prompt = hash('sha256', JSON.stringify(extractTexts(entityTypes))).slice(0, 16)
  return canonicalJson({
    model: models.writer('graph_extract'),
    prompt,
    ...(entityTypes === undefined ? {} : { entity_types: [...entityTypes] }),
    chunking: chunkChars,
    ...(models.isBuiltin('graph_extract') ? {} : { gleanings: GLEANINGS }),
    code: EXTRACTION_CODE,
  } satisfies Extractor)
}

/** A stored record; null for what earlier versions stored, which is a name alone. */
export function readExtractor(stored: string): Extractor | null {
  try {
    const read = Extractor.safeParse(JSON.parse(stored))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
