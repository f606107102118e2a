import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ChatCompletion } from '../../contract/http/chat.ts'
import { IngestionAccepted } from '../../contract/http/ingestion.ts'
import { startPlatformProcess } from '../helpers/platform-process.ts'
import {
  QUESTION,
  TOKEN,
  start,
  here,
  call,
  usage,
  counted,
  ingest,
  useSmallPlatform,
} from '../helpers/small-platform.ts'

useSmallPlatform()

describe('the door', () => {
  it('opens without a token only for routes that report the state', async () => {
    const status = async (path: string) => (await fetch(here.platform.url + path)).status
    const open = ['/', '/health', '/ready', '/health/liveliness', '/graph-engine/health']
    expect(await Promise.all(open.map(status))).toEqual(open.map(() => 200))
    const closed = ['/v1/models', '/internal/usage', '/rag/health', '/metrics', '/plugins', '/info', '/nowhere']
    expect(await Promise.all(closed.map(status))).toEqual(closed.map(() => 401))
    const refused = await fetch(`${here.platform.url}/v1/models`)
    expect(await refused.json()).toMatchObject({ error: { type: 'authentication_error', code: 'invalid_api_key' } })
  })

  it('closes with 503, and reports why, while no caller could be admitted', async () => {
    const closed = await start({ RAG_LADDER_STATE_DIR: join(here.folder, 'closed'), PLATFORM_LOG_LEVEL: 'error' })
    expect(closed.errors()).toContain('no credential is configured')
    const answers = await Promise.all([fetch(`${closed.url}/health`), call('/v1/models', undefined, closed)])
    expect(answers.map(({ status }) => status)).toEqual([200, 503])
  })

  it('refuses a body over its limit before reading it, in the route’s own family', async () => {
    const huge = 'x'.repeat(17 * 1024 * 1024)
    const message = 'Request body exceeds the limit for this endpoint (16777216 bytes)'
    expect(await (await call('/api/chunk', { text: huge })).json()).toEqual({ detail: message })
    expect(await (await call('/v1/chat/completions', { text: huge })).json()).toMatchObject({ error: { message } })
    expect(await (await call('/rerank', { text: huge })).json()).toMatchObject({ error: message })
  })
})

describe('processes', () => {
  beforeAll(async () => {
    await ingest()
  })

  it('answer aliases through a plugin in another process', async () => {
    const front = await start({
      RAG_LADDER_STATE_DIR: join(here.folder, 'front'),
      RAG_PLUGIN_URL: here.platform.url,
      BACKEND_INTERNAL_API_TOKEN: TOKEN,
    })
    const { calls } = await counted(async () => {
      const body = { model: 'hybrid-rag', messages: [{ role: 'user', content: QUESTION }] }
      const completion = ChatCompletion.parse(await (await call('/v1/chat/completions', body, front)).json())
      expect(completion.rag_extension!.answer).toContain('Edith Marlowe')
      const stream = await (await call('/v1/chat/completions', { ...body, stream: true }, front)).text()
      expect(stream.trimEnd().split('\n\n')).toHaveLength(2)
    })
    expect(calls).toEqual({ embed: 2, rerank: 2, light_gen: 2 })
    expect((await usage(front)).alias_calls).toEqual({ 'hybrid-rag': 2 })
  })

  it('end cleanly with their host, and keep what was ingested', async () => {
    const state = join(here.folder, 'restarted')
    const env = {
      RAG_LADDER_STATE_DIR: state,
      RAG_INGESTION_CORPUS_ROOT: join(here.folder, 'corpus'),
      RAG_PROFILE: 'smoke',
      BACKEND_INTERNAL_API_TOKEN: TOKEN,
    }
    const first = await start(env)
    const ingested = await call('/api/rag/ingestions?async_job=false', { profile: 'smoke' }, first)
    expect(IngestionAccepted.parse(await ingested.json()).status).toBe('completed')
    expect(await first.stop()).toBe(0)
    const second = await start(env)
    const body = { model: 'vanilla-rag', messages: [{ role: 'user', content: QUESTION }] }
    const answer = ChatCompletion.parse(await (await call('/v1/chat/completions', body, second)).json())
    expect(answer.rag_extension!.answer).toContain('Edith Marlowe')
    second.child.kill('SIGTERM')
    expect(await second.stop()).toBe(0)
  })

  it('report every fault of their configuration and exit with 78, which a restart does not fix', async () => {
    await expect(
      startPlatformProcess({
        PLATFORM_PORT: 'eighty',
        RAG_PROFILE: 'unlisted',
        RAG_LADDER_STATE_DIR: join(here.folder, 'never'),
      }),
    ).rejects.toThrow(/exited with 78: the platform cannot start:\n {2}PLATFORM_PORT: .*\n {2}RAG_PROFILE: /)
    const taken = new URL(here.platform.url).port
    await expect(
      startPlatformProcess({
        PLATFORM_PORT: taken,
        RAG_LADDER_STATE_DIR: join(here.folder, 'never'),
        BACKEND_INTERNAL_API_TOKEN: TOKEN,
      }),
    ).rejects.toThrow(
      /exited with 78: the platform cannot start:\n {2}port \d+ on 127\.0\.0\.1 is taken: end the program that uses it/,
    )
  })
})
