import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { feed, useEngineBench } from '../../../../tests/helpers/graph-engine-bench.ts'
import { scriptedModels } from '../../../../tests/helpers/scripted-models.ts'
import { embedText } from '../../models/builtin/embedding/embed-text.ts'
import type { ModelHost } from '../../models/model-host.ts'

const bench = useEngineBench()

const YARD = 'Red Yard/organization > built > Osprey/vessel: The Red Yard built the Osprey.'

/** A file as another version left it, with a graph of it. */
async function fileOf(version: number, changes: string) {
  const engine = bench.open({ models: rules() })
  await feed(engine, { 'a.md': YARD })
  const picture = await engine.graph(10)
  await engine.close()
  const database = new Database(bench.file())
  database.exec(`${changes}; PRAGMA user_version = ${version}`)
  database.close()
  return picture
}

const rules = () => ({
  ...scriptedModels(),
  embed: async (_: string, texts: readonly string[]) => texts.map((text) => embedText(text)),
})

describe('a graph file of an earlier version', () => {
  it('is read when it is of version 3, which has no digests, without extracting or embedding anything again', async () => {
    const picture = await fileOf(
      3,
      [
        ...['documents', 'extractions', 'vectors'].map((table) => `ALTER TABLE ${table} DROP COLUMN digest`),
        ...['entities', 'dropped', 'truncated'].map((column) => `ALTER TABLE extractions DROP COLUMN ${column}`),
      ].join('; '),
    )
    const embedded: string[] = []
    const models: ModelHost = {
      ...rules(),
      embed: async (role, texts) => {
        embedded.push(...texts)
        return rules().embed(role, texts)
      },
    }
    const reopened = bench.open({ models })
    expect(await reopened.graph(10)).toEqual(picture)
    expect(embedded).toEqual([])
  })

  it('is refused when it is of any other version', async () => {
    await fileOf(2, '')
    expect(() => bench.open()).toThrow('was written by another version (2)')
  })
})
