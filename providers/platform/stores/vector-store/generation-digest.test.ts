import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashEmbeddings } from '../../../../tests/helpers/hash-embedding.ts'
import { chunksOf, WORLD } from '../../../../tests/helpers/rag-fixture.ts'
import { openSqliteVectorStore } from './sqlite-vector-store.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

const NAME = 'RagBase_smoke'
let file: string

beforeEach(async () => {
  file = join(await temporaryFolder('stored-digest'), 'vectors.sqlite')
  const store = openSqliteVectorStore(file)
  const chunks = chunksOf(WORLD)
  const vectors = await hashEmbeddings(chunks.map(({ indexText }) => indexText))
  const derivation = { artefact: 'chunks', input: 'corpus', code: 'chunks 1' } as const
  const source = { dimensions: vectors[0]!.length, contentDigest: 'digest', embeddingModel: 'hash', derivation }
  await store.replace(NAME, source, chunks, vectors)
  await store.close()
})

/** Returns what the store finds after the statement has run on its file. */
async function damageAfter(sql: string | null): Promise<string | null> {
  if (sql !== null) {
    const database = new Database(file)
    // FTS5 protects its tables from statements.
    database.unsafeMode()
    expect(database.prepare(sql).run().changes).toBeGreaterThan(0)
    database.close()
  }
  const store = openSqliteVectorStore(file)
  try {
    return await store.damage!(NAME)
  } finally {
    await store.close()
  }
}

describe('a collection that is stored', () => {
  it('is intact as it was written, with its record', async () => {
    expect(await damageAfter(null)).toBeNull()
    const store = openSqliteVectorStore(file)
    expect((await store.info(NAME))!.derivation).toEqual({ artefact: 'chunks', input: 'corpus', code: 'chunks 1' })
    await store.close()
  })

  it.each([
    ['text', `UPDATE chunks_1 SET content = replace(content, 'Esker', 'Eskar') WHERE content LIKE '%Esker%'`],
    ['place', 'UPDATE chunks_1 SET start_char = start_char + 1 WHERE id = 2'],
    ['vector', `UPDATE dense_1_vector_chunks00 SET vectors = CAST(x'01' || substr(vectors, 2) AS BLOB)`],
    ['keyword index', `UPDATE keywords_1_data SET block = CAST(x'01' || substr(block, 2) AS BLOB) WHERE id > 10`],
    ['row', 'DELETE FROM chunks_1 WHERE id = 3'],
    ['record', `UPDATE collections SET derivation = replace(derivation, 'corpus', 'corpse')`],
    ['embedding model', `UPDATE collections SET embedding_model = 'other'`],
  ])('is named with its file when its %s was changed from outside', async (_, sql) => {
    expect(await damageAfter(sql)).toBe(`${file}: collection ${NAME} is not as it was written`)
  })
})
