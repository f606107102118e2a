import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashEmbeddings } from '../../../tests/helpers/hash-embedding.ts'
import { openIngestionSite, writeFiles } from '../../../tests/helpers/ingestion-fixture.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import type { IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import { systemClock } from './clock.ts'
import type { EmbedDocuments } from './kept-vectors.ts'

let site: IngestionSite
beforeEach(async () => {
  site = await openIngestionSite()
})

describe('two services on one state file', () => {
  it('run every job once', async () => {
    const profiles = ['one', 'two', 'three', 'four'].map((name) => testProfile(name))
    for (const { name } of profiles) await writeFiles(path.join(site.corpusRoot, name), { 'a.md': `About ${name}.` })
    const ran: string[] = []
    const counting =
      (who: string): EmbedDocuments =>
      async (texts) => {
        ran.push(`${who} ${texts.join()}`)
        return hashEmbeddings(texts)
      }
    const left = site.service({ profiles, embed: counting('left') })
    const right = site.service({ profiles, embed: counting('right') })
    left.start()
    right.start()
    const submitted = await Promise.all(
      profiles.flatMap(({ name }) => [left, right].map((service) => service.submit({ profile: name }))),
    )
    const ids = [...new Set(submitted.map(({ ingestion_id: id }) => id))]
    expect(ids).toHaveLength(4)
    const records = await Promise.all(ids.map((id) => right.settled(id)))
    expect(records.map(({ status, executions }) => [status, executions])).toEqual(ids.map(() => ['completed', 1]))
    expect(ran).toHaveLength(4)
  })

  it('keep a stale writer from switching the collection', async () => {
    const gate = { reached: Promise.withResolvers<undefined>(), opened: Promise.withResolvers<undefined>() }
    const attempt = Promise.withResolvers<unknown>()
    const slow = Object.create(site.store) as typeof site.store
    slow.info = (name) => site.store.info(name)
    slow.vectors = (name) => site.store.vectors(name)
    slow.damage = (name) => site.store.damage!(name)
    slow.replace = async (...args) => {
      gate.reached.resolve(undefined)
      await gate.opened.promise
      const written = site.store.replace(...args)
      written.then(attempt.resolve, attempt.resolve)
      return written
    }
    const stalled = site.service({ store: slow })
    stalled.start()
    const { ingestion_id: id } = await stalled.submit({ profile: 'smoke' })
    await gate.reached.promise
    const rescuer = site.service({
      embeddingSpace: 'rescuer',
      clock: { now: () => Date.now() + 60_000, sleep: systemClock.sleep },
    })
    rescuer.start()
    const record = await rescuer.settled(id)
    const written = await site.store.info('RagBase_smoke')
    gate.opened.resolve(undefined)
    expect(await attempt.promise).toMatchObject({ name: 'TaskLostError' })
    expect(await site.store.info('RagBase_smoke')).toEqual(written)
    expect(written).toMatchObject({ embeddingModel: 'rescuer' })
    expect(await rescuer.get(id)).toEqual(record)
  })
})
