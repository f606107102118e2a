import { z } from 'zod'
import { Identifier, Sha256 } from '../common.ts'

// Datasets that come from elsewhere and go there: public ones in their own formats, and own ones as zip files.

const count = z.int().min(0)
const newId = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'a small letter, then small letters, digits and "_", at most 63')

/** A format of public datasets that can be imported. */
export const ImportFormat = z.strictObject({
  id: z.string(),
  label: z.string(),
  /** The files that it expects, in words. */
  expects: z.string(),
  licence: z.string(),
})
export type ImportFormat = z.infer<typeof ImportFormat>

export const ImportFolderInput = z.strictObject({
  /** Absolute path on the engine's machine: a folder or file of a public dataset, or an exported zip file. */
  source: z.string().min(1).max(4096),
  id: newId,
  /** Absent: recognised by the content. */
  format: z.string().optional(),
  /** A sample of so many questions; all unless given. */
  questions: z.int().min(1).optional(),
  /** So many documents, those with gold evidence and a sample of the others. */
  documents: z.int().min(1).optional(),
  seed: count.default(0),
  /** `test`, `dev` or `train`, or part of a file name, where a source has several. */
  split: z.string().min(1).max(200).optional(),
})
export type ImportFolderInput = z.input<typeof ImportFolderInput>

/** What an import does; `done` comes last. A client that leaves stops the import, and nothing of it is left. */
export const ImportStep = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('progress'),
    step: z.enum(['questions', 'documents']),
    /** Bytes read; a source is read several times. */
    bytes: count,
    documents: count,
  }),
  z.strictObject({
    type: z.literal('done'),
    id: Identifier,
    format: z.string(),
    licence: z.string(),
    questions: z.strictObject({ taken: count, of: count }),
    documents: z.strictObject({ taken: count, of: count }),
    left_out: z.array(z.strictObject({ count, reason: z.string() })),
  }),
])
export type ImportStep = z.infer<typeof ImportStep>

/** A file in pieces: put the bytes together in order. `end` comes last and only when the file is whole. */
export const FilePiece = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('begin'), file_name: z.string() }),
  z.strictObject({ type: z.literal('bytes'), base64: z.base64() }),
  z.strictObject({ type: z.literal('end'), size_bytes: count, sha256: Sha256 }),
])
export type FilePiece = z.infer<typeof FilePiece>
