import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { IngestionAccepted } from '../../../contract/http/ingestion.ts'
import { hashEmbeddings } from '../../../tests/helpers/hash-embedding.ts'
import { openIngestionSite, someDocuments, writeFiles } from '../../../tests/helpers/ingestion-fixture.ts'
import type { IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import { systemClock } from './clock.ts'

const CHILD = path.resolve(import.meta.dirname, '../../../tests/helpers/ingestion-child.ts')

/** Chunks whose vectors the child has when it is killed. */
const FIRST_BATCH = 32

let site: IngestionSite
const children: ChildProcess[] = []

beforeEach(async () => {
  site = await openIngestionSite()
  await writeFiles(path.join(site.corpusRoot, 'smoke'), someDocuments(40))
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

function start(mode: 'hang' | 'submit'): ChildProcess {
  const child = fork(CHILD, [site.folder, mode], { execArgv: [] })
  children.push(child)
  return child
}

/** The child's next message; rejects when it exits without one. */
async function message(child: ChildProcess): Promise<unknown> {
  const [received] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`child exited with ${String(code)}`))),
  ])) as [unknown]
  return received
}

describe('ingestion processes', () => {
  it('finish the job of one that was killed in the middle of embedding, and embed only what it had not', async () => {
    const child = start('hang')
    expect(await message(child)).toBe('embedding')
    const embedded: string[] = []
    const service = site.service({
      clock: { now: () => Date.now() + 60_000, sleep: systemClock.sleep },
      embeddingSpace: 'hash-768',
      embed: async (texts) => {
        embedded.push(...texts)
        return hashEmbeddings(texts)
      },
    })
    const [before] = (await service.list({ limit: 1 }))!.records
    expect(before).toMatchObject({ status: 'running', executions: 1 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await site.store.info('RagBase_smoke')).toBeNull()
    service.start()
    const record = await service.settled(before!.id)
    expect(record).toMatchObject({ status: 'completed', executions: 2, errors: [], counts: { files_discovered: 40 } })
    expect((await site.store.info('RagBase_smoke'))!.chunkCount).toBe(record.counts.chunks_created)
    // More than the batch, because chunks of equal text have one vector.
    expect(record.counts.vectors_reused).toBeGreaterThanOrEqual(FIRST_BATCH)
    expect(embedded).toHaveLength(record.counts.chunks_created! - record.counts.vectors_reused!)
    expect((await readdir(site.folder)).filter((name) => name.includes('.vectors'))).toEqual([])
  })

  it('claim one fingerprint once, however many submit it at the same time', async () => {
    const racers = [start('submit'), start('submit'), start('submit')]
    for (const racer of racers) expect(await message(racer)).toBe('ready')
    for (const racer of racers) racer.send('go')
    const answers = (await Promise.all(racers.map(message))) as IngestionAccepted[]
    expect(new Set(answers.map(({ ingestion_id: id }) => id)).size).toBe(1)
    expect(answers.filter(({ message }) => message === 'RAG ingestion queued')).toHaveLength(1)
    expect(answers.filter(({ message }) => message.startsWith('Idempotent'))).toHaveLength(2)
    expect((await site.service().list({ limit: 10 }))!.records).toHaveLength(1)
  })
})
