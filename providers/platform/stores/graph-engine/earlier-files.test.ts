import { inflateRawSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engineBench, feed } from '../../../../tests/helpers/graph-engine-bench.ts'
import { scriptedModels } from '../../../../tests/helpers/scripted-models.ts'
import { embedText } from '../../models/builtin/embedding/embed-text.ts'
import type { ModelHost } from '../../models/model-host.ts'

let bench: ReturnType<typeof engineBench>
beforeEach(() => {
  bench = engineBench()
})
afterEach(() => bench.cleanUp())

const YARD = 'Red Yard/organization > built > Osprey/vessel: The Red Yard built the Osprey.'
const BORN = 'Agnes Tolland/person > born in > Hesk/place: Agnes Tolland was born in Hesk.'

/** Lists what files of earlier versions lack. */
const WITHOUT_DIGESTS = [
  ...['documents', 'extractions', 'vectors'].map((table) => `ALTER TABLE ${table} DROP COLUMN digest`),
  ...['entities', 'dropped', 'truncated'].map((column) => `ALTER TABLE extractions DROP COLUMN ${column}`),
].join('; ')

describe('a graph file of an earlier version', () => {
  it('is read when it is of version 2, whose vectors are not packed, without extracting or embedding anything again', async () => {
    const builtin = () => ({
      ...scriptedModels(),
      embed: async (_: string, texts: readonly string[]) => texts.map((text) => embedText(text)),
    })
    const engine = bench.open({ models: builtin() })
    await feed(engine, { 'a.md': YARD })
    const picture = await engine.graph(10)
    await engine.close()
    const database = new Database(bench.file())
    const vectors = database.prepare<[], { id: number; vector: Buffer; packed: number }>('SELECT * FROM vectors').all()
    expect(vectors.length).toBeGreaterThan(0)
    for (const { id, vector, packed } of vectors) {
      expect([packed, vector.length < 772 / 2]).toEqual([1, true])
      const plain = Buffer.concat([vector.subarray(0, 4), inflateRawSync(vector.subarray(4))])
      expect(plain).toHaveLength(772)
      database.prepare('UPDATE vectors SET vector = ? WHERE id = ?').run(plain, id)
    }
    database.exec(`ALTER TABLE vectors DROP COLUMN packed; ${WITHOUT_DIGESTS}; PRAGMA user_version = 2`)
    database.close()
    const embedded: string[] = []
    const models: ModelHost = {
      ...builtin(),
      embed: async (role, texts) => {
        embedded.push(...texts)
        return builtin().embed(role, texts)
      },
    }
    const reopened = bench.open({ models })
    expect(await reopened.graph(10)).toEqual(picture)
    expect(embedded).toEqual([])
  })

  it('is read when it is of version 1, without extracting anything again', async () => {
    const engine = bench.open()
    await feed(engine, { 'a.md': YARD, 'b.md': BORN })
    const picture = await engine.graph(10)
    const { id } = engine.documents({
      page: 1,
      page_size: 1,
      sort_field: 'file_path',
      sort_direction: 'asc',
    }).documents[0]!
    await engine.close()
    const database = new Database(bench.file())
    const chunks = database.prepare<[], { id: string; content: string; extraction: Buffer }>(
      'SELECT chunks.id, content, extraction FROM chunks JOIN documents ON documents.id = document_id JOIN extractions ON chunk_id = chunks.id',
    )
    const rows = chunks.all()
    database.exec(`
      PRAGMA foreign_keys = OFF;
      DROP TABLE vectors;
      CREATE TABLE vectors (model TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, digest)) STRICT, WITHOUT ROWID;
      INSERT INTO vectors VALUES ('m', x'00', x'00000000');
      ALTER TABLE chunks ADD COLUMN content TEXT NOT NULL DEFAULT '';
      ALTER TABLE documents DROP COLUMN digest;
      DROP TABLE extractions;
      CREATE TABLE extractions (chunk_id TEXT PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE, extraction TEXT NOT NULL) STRICT;
      PRAGMA user_version = 1;
    `)
    for (const row of rows) {
      database.prepare('UPDATE chunks SET content = ? WHERE id = ?').run(row.content, row.id)
      database.prepare('INSERT INTO extractions VALUES (?, ?)').run(row.id, inflateRawSync(row.extraction).toString())
    }
    database.close()
    const models = scriptedModels()
    const reopened = bench.open({ models })
    expect(await reopened.graph(10)).toEqual(picture)
    expect([models.extracted, reopened.statusCounts().processed]).toEqual([[], 2])
    expect(reopened.remove([id])).toBe(1)
    expect((await reopened.graph(10)).nodes.map((node) => node.id)).toEqual(['agnes tolland', 'hesk'])
  })
})
