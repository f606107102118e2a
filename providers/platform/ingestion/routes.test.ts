import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { beforeEach, describe, expect, it } from 'vitest'
import { IngestionAccepted, IngestionRecord } from '../../../contract/http/ingestion.ts'
import { openIngestionSite, writeFiles, type IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import { testServer } from '../../../tests/helpers/test-server.ts'
import type { IngestionService } from './ingestion-service.ts'
import { registerIngestionRoutes } from './routes.ts'

let site: IngestionSite
let app: FastifyInstance
let service: IngestionService

beforeEach(async () => {
  site = await openIngestionSite()
  service = site.service({ profiles: [testProfile('smoke'), testProfile('other')] })
  app = testServer()
  registerIngestionRoutes(app, service)
})

async function call(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) {
  const response = await app.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
  return { status: response.statusCode, headers: response.headers, body: response.json<Record<string, unknown>>() }
}

const submit = (body: object = { profile: 'smoke' }, query = '') => call('POST', `/api/rag/ingestions${query}`, body)

describe('ingestion routes', () => {
  it('accept a job and show its record', async () => {
    service.start()
    const { status, body } = await submit()
    expect(status).toBe(202)
    const accepted = IngestionAccepted.parse(body)
    expect(accepted.job_id).not.toBeNull()
    await service.settled(accepted.ingestion_id)
    const shown = await call('GET', `/api/rag/ingestions/${accepted.ingestion_id}`)
    expect(IngestionRecord.parse(shown.body)).toMatchObject({
      id: accepted.ingestion_id,
      status: 'completed',
      consumer: 'atlas',
    })
  })

  it('run the job in the request with async_job=false', async () => {
    service.start()
    expect(await submit({ profile: 'smoke' }, '?async_job=false')).toMatchObject({
      status: 202,
      body: { status: 'completed', job_id: null },
    })
    expect((await submit({ profile: 'smoke' }, '?async_job=maybe')).status).toBe(422)
  })

  it('list jobs page by page', async () => {
    const ids: unknown[] = []
    for (const text of ['one', 'two', 'three']) {
      await writeFiles(path.join(site.corpusRoot, 'other'), { 'a.md': text })
      ids.unshift((await submit({ profile: 'other' })).body.ingestion_id)
    }
    const first = await call('GET', '/api/rag/ingestions?limit=2')
    expect(first.headers['x-rag-ladder-page-limit']).toBe('2')
    expect((first.body as unknown as IngestionRecord[]).map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const second = await call(
      'GET',
      `/api/rag/ingestions?limit=2&cursor=${String(first.headers['x-rag-ladder-next-cursor'])}`,
    )
    expect((second.body as unknown as IngestionRecord[]).map(({ id }) => id)).toEqual(ids.slice(2))
    expect(second.headers['x-rag-ladder-next-cursor']).toBeUndefined()
    expect((await call('GET', '/api/rag/ingestions')).headers['x-rag-ladder-page-limit']).toBe('100')
    expect((await call('GET', '/api/rag/ingestions?limit=201')).status).toBe(422)
    expect((await call('GET', '/api/rag/ingestions?cursor=nonsense')).status).toBe(400)
  })

  it('cancel a job', async () => {
    const { body } = await submit()
    const cancelled = await call('POST', `/api/rag/ingestions/${String(body.ingestion_id)}/cancel`)
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', cancel_requested: true } })
  })

  it('reset a profile', async () => {
    await submit({ profile: 'smoke' }, '?async_job=false')
    expect(await call('DELETE', '/api/rag/ingestions/profiles/smoke')).toMatchObject({
      status: 200,
      body: { profile: 'smoke', removed_collections: ['RagBase_smoke'] },
    })
    expect(await site.store.list()).toEqual([])
    expect((await call('DELETE', '/api/rag/ingestions/profiles/unlisted')).status).toBe(404)
  })

  it('refuse what is malformed, unknown or unsafe', async () => {
    expect((await submit({})).body).toMatchObject({ detail: [{ loc: ['body', 'profile'] }] })
    expect((await submit({ profile: 'smoke', extra: 1 })).status).toBe(422)
    expect(await submit({ profile: 'unlisted' })).toMatchObject({
      status: 404,
      body: { detail: "Unknown rag_ingestion profile: 'unlisted'" },
    })
    expect(await submit({ profile: 'smoke', corpus_path: '../../etc' })).toMatchObject({ status: 400 })
    expect(await submit({ profile: 'other' })).toMatchObject({
      status: 400,
      body: { detail: "corpus folder 'other' does not exist" },
    })
    expect(await call('GET', '/api/rag/ingestions/unlisted')).toMatchObject({ status: 404 })
    expect(await call('POST', '/api/rag/ingestions/unlisted/cancel')).toMatchObject({ status: 404 })
  })

  it('answer 503 without a state store', async () => {
    await service.close()
    expect(await call('GET', '/api/rag/ingestions')).toMatchObject({
      status: 503,
      body: {
        detail: {
          code: 'state_store_unavailable',
          message: expect.stringMatching(/^The ingestion state store is unavailable: /),
        },
      },
    })
  })
})
