import { describe, expect, it } from 'vitest'
import { IngestionProfile } from './consumer.ts'
import { profileNamed, rechunkedName } from './rechunked-profile.ts'

const NOTES = IngestionProfile.parse({
  name: 'notes',
  corpus: { source: 'mount', path: 'notes' },
  parser_order: ['plain_text'],
  chunker: { strategy: 'recursive', chunk_size: 800, overlap: 100 },
  vector_target: { collection_prefix: 'RagBase' },
  graph_target: { mode: 'upload_documents', wait_for_extraction: true, timeout_seconds: 60 },
})

describe('profileNamed', () => {
  it('finds declared profiles, and declared ones with the chunks that a name says', () => {
    const name = rechunkedName('notes', { chunk_size: 400, overlap: 50 })
    expect(name).toBe('notes_chunks_400_50')
    expect(profileNamed([NOTES], 'notes')).toBe(NOTES)
    expect(profileNamed([NOTES], name)).toEqual({
      ...NOTES,
      name,
      chunker: { strategy: 'recursive', chunk_size: 400, overlap: 50 },
    })
  })

  it('prefers a declared profile of that name', () => {
    const declared = { ...NOTES, name: 'notes_chunks_400_50' }
    expect(profileNamed([NOTES, declared], 'notes_chunks_400_50')).toBe(declared)
  })

  it.each([
    'others_chunks_400_50',
    'notes_chunks_0400_50',
    'notes_chunks_400_400',
    'notes_chunks_9000_0',
    'notes_chunks',
  ])('knows no profile %s', (name) => {
    expect(profileNamed([NOTES], name)).toBeUndefined()
  })
})
