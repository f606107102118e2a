import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { feed, useEngineBench } from '../../../../tests/helpers/graph-engine-bench.ts'
import { scriptedModels } from '../../../../tests/helpers/scripted-models.ts'

const TEXTS = {
  'yard.md': 'Ann/person > founded > Blue Yard/organization: Ann founded the Blue Yard.',
  'boat.md': 'Blue Yard/organization > built > Osprey/vessel: The Blue Yard built the Osprey.',
}

const bench = useEngineBench()
beforeEach(async () => {
  const engine = bench.open()
  await feed(engine, TEXTS)
  await engine.close()
})

const change = (sql: string): void => {
  const database = new Database(bench.file())
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0)
  database.close()
}

/** Other bytes for the extraction of one document: what it would be after a flipped byte that can still be read is another valid deflate stream. */
const OTHER_EXTRACTION = `UPDATE extractions SET extraction = (SELECT extraction FROM extractions AS other
  WHERE other.chunk_id <> extractions.chunk_id) WHERE chunk_id = (SELECT chunks.id FROM chunks JOIN documents
  ON documents.id = document_id WHERE file_path = 'yard.md')`

describe('a graph that is stored', () => {
  it('is current and intact as it was written', async () => {
    const engine = bench.open()
    expect([await engine.isCurrent(2), await engine.repair()]).toEqual([true, null])
    expect(await engine.isCurrent(3)).toBe(false)
  })

  it.each([
    ['text', `UPDATE documents SET content = replace(content, 'founded', 'funded') WHERE file_path = 'yard.md'`],
    ['path', `UPDATE documents SET file_path = 'yerd.md' WHERE file_path = 'yard.md'`],
    [
      'range of a chunk',
      `UPDATE chunks SET end_char = end_char - 1 WHERE document_id = (SELECT id FROM documents WHERE file_path = 'yard.md')`,
    ],
    ['extraction', OTHER_EXTRACTION],
  ])('gives up a document whose %s was changed, and is built from it again', async (_, sql) => {
    const before = bench.open({ stateFile: bench.file('before.sqlite') })
    await feed(before, TEXTS)
    change(sql)
    const models = scriptedModels()
    const engine = bench.open({ models })
    expect(await engine.isCurrent(2)).toBe(false)
    expect(await engine.repair()).toMatch(/graph\.sqlite: what is stored of y.rd\.md is not as it was written$/)
    await feed(engine, TEXTS)
    expect(models.extracted).toHaveLength(1)
    expect(await engine.isCurrent(2)).toBe(true)
    expect(await engine.graph(10)).toEqual(await before.graph(10))
  })

  it('embeds a text again whose vector was changed', async () => {
    change("UPDATE vectors SET vector = CAST(substr(vector, 1, length(vector) - 1) || x'7f' AS BLOB) WHERE id = 1")
    const engine = bench.open()
    expect(await engine.isCurrent(2)).toBe(false)
    expect(await engine.repair()).toMatch(/: 1 vector is not as it was written$/)
    await engine.graph(10)
    expect(await engine.isCurrent(2)).toBe(true)
  })
})
