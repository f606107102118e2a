import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { chunksOf, COLLECTIONS, ingest, testStore } from '../../../../tests/helpers/rag-fixture.ts'
import { fakeModelHost } from '../../../../tests/helpers/fake-model-host.ts'
import { openBackend } from '../../../../tests/helpers/openai-backend.ts'
import { meterCalls } from '../call-meter.ts'
import { openBlurbCache } from './blurb-cache.ts'
import { buildContextual } from './build-collection.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

const textOf = (body: unknown): string => JSON.stringify((body as { messages: unknown }).messages)

/** Characters at the start that two texts share. */
function sharedStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

/** A service that keeps every prompt and reports, as OpenAI does, how much of the start of a new one it knows already; a token has four characters. */
async function cachingService() {
  const seen: string[] = []
  return openBackend({
    reply: ({ body }) => {
      const prompt = textOf(body)
      const known = Math.max(0, ...seen.map((before) => sharedStart(before, prompt)))
      seen.push(prompt)
      const tokens = Math.ceil(prompt.length / 4)
      const usage = {
        prompt_tokens: tokens,
        completion_tokens: 5,
        total_tokens: tokens + 5,
        prompt_tokens_details: { cached_tokens: Math.floor(known / 4) },
      }
      const message = { role: 'assistant', content: 'It is about the ship.' }
      return {
        json: { id: 'c', created: 1, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message }], usage },
      }
    },
  })
}

const paragraph = (number: number): string =>
  `Paragraph ${number}. ${`The ship ${number} sailed on from port to port and came back in the year ${1800 + number}. `.repeat(9)}`
const documentOf = (paragraphs: number) =>
  chunksOf({
    'ship.md': { title: 'The ship', paragraphs: Array.from({ length: paragraphs }, (_, at) => paragraph(at)) },
  })

it.each([
  ['a document that is shown whole', 16, 0.8],
  ['a document of which the surroundings are shown', 90, 0.5],
])(
  'the contexts of %s are read from the cache of a service that has one, and it is recorded',
  async (_, size, least) => {
    const { backend } = await cachingService()
    const meter = meterCalls({
      ...fakeModelHost(),
      chat: (_role, request, signal) => backend.chat!(request, signal),
    })
    const folder = await temporaryFolder()
    const store = await testStore(folder)
    const cache = openBlurbCache(join(folder, 'blurbs.sqlite'))
    onTestFinished(() => cache.close())
    const chunks = documentOf(size)
    await ingest(store, fakeModelHost(), 'smoke', chunks)
    expect(await buildContextual({ store, models: meter.models, cache, collections: COLLECTIONS })).toMatchObject({
      blurbs: chunks.length,
    })
    const { input_tokens: input, cached_input_tokens: cached } = meter
      .counts()
      .modelUsage.find(({ calls }) => calls === chunks.length)!
    expect(cached! / input).toBeGreaterThan(least)
  },
)
