import { z } from 'zod'
import { Sha256 } from '../common.ts'

export const ExportInput = z.strictObject({
  run_id: z.string().min(1).max(512),
  /** All datasets of the run when absent. */
  dataset_id: z.string().min(1).max(512).optional(),
})
export type ExportInput = z.infer<typeof ExportInput>

/** A file in pieces that fit into messages: put the texts together in order. `end` comes last and only when the file is whole. */
export const ExportChunk = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('begin'), file_name: z.string(), media_type: z.string() }),
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('end'), size_bytes: z.int().min(0), sha256: Sha256 }),
])
export type ExportChunk = z.infer<typeof ExportChunk>
