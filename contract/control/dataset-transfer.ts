import { z } from 'zod'
import { count, Identifier, Sha256 } from '../common.ts'
import { MAX_FILE_BYTES } from './own-datasets.ts'

// Datasets that come from elsewhere and go there: public ones in their own formats, and own ones as zip files.

const newId = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'a lower-case letter, then lower-case letters, digits and "_", at most 63')

/** A format of public datasets that can be imported. */
export const ImportFormat = z.strictObject({
  id: z.string(),
  label: z.string(),
  /** The files that it expects, in words. */
  expects: z.string(),
  licence: z.string(),
})

export const ImportFolderInput = z.strictObject({
  /** Absolute path on the engine's machine: a folder or file of a public dataset, or an exported zip file. */
  source: z.string().min(1).max(4096),
  id: newId,
  /** Absent: recognized by the content. */
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

const zipFile = {
  /** As the person knows it; refusals name it. */
  file_name: z.string().min(1).max(255),
  base64: z.base64().max(Math.ceil(MAX_FILE_BYTES / 3) * 4, 'at most 32 MiB'),
}

/** An exported dataset as a file of the browser's machine. Larger ones are imported from a path of the engine's machine. */
export const PreviewZipInput = z.strictObject(zipFile)
export type PreviewZipInput = z.infer<typeof PreviewZipInput>

export const UploadZipInput = z.strictObject({ ...zipFile, id: newId })
export type UploadZipInput = z.infer<typeof UploadZipInput>

/** Describes what an exported dataset holds. Every path and the dataset's file were checked as an import does. */
export const ZipPreview = z.strictObject({
  label: z.string(),
  description: z.string(),
  licence: z.string().nullable(),
  questions: count,
  with_gold: count,
  documents: count,
  size_bytes: count,
  /** The first paths below the documents' folder, in order. */
  names: z.array(z.string()),
})
export type ZipPreview = z.infer<typeof ZipPreview>

/** Describes what an import does; `done` comes last. A client that leaves stops the import, and nothing of it is left. */
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
    /** Questions with gold evidence: without any, retrieval cannot be scored. Absent for an exported zip file. */
    with_gold: count.optional(),
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
