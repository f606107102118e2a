import type { IngestionProfile } from './consumer.ts'

// An ingestion profile with other chunks is a profile of its own, so that both have their collections, jobs and records side by side. It is declared nowhere: its name
// says what it is, as `notes_chunks_400_50` is the profile `notes` with chunks of 400 that overlap by 50.

export type Chunking = Pick<IngestionProfile['chunker'], 'chunk_size' | 'overlap'>

const NAME = /^(.+)_chunks_(\d{1,4})_(\d{1,4})$/

export const rechunkedName = (profile: string, { chunk_size: size, overlap }: Chunking): string =>
  `${profile}_chunks_${size}_${overlap}`

/** The profile of a name: a declared one, or a declared one with the chunks that the name says. Undefined for any other name. */
export function profileNamed(profiles: readonly IngestionProfile[], name: string): IngestionProfile | undefined {
  const declared = profiles.find((profile) => profile.name === name)
  if (declared !== undefined) return declared
  const [, base, size, overlap] = NAME.exec(name) ?? []
  const found = profiles.find((profile) => profile.name === base)
  if (found === undefined) return undefined
  const chunking = { chunk_size: Number(size), overlap: Number(overlap) }
  const isCanonical = rechunkedName(found.name, chunking) === name
  if (!isCanonical || chunking.overlap >= chunking.chunk_size || chunking.chunk_size > 8192) return undefined
  return { ...found, name, chunker: { ...found.chunker, ...chunking } }
}
