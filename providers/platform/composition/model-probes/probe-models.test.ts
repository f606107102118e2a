import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { MODEL_BACKENDS } from '../../../../contract/manifests/model-backends.ts'
import type { ProbedRole } from '../../../../contract/control/models.ts'
import { keptRecord, KnownModels } from '../../../../core/model-records/known-models.ts'
import { capableAnswer, completionOf, refusalOf, type AskedOfModel } from '../../../../tests/helpers/capable-model.ts'
import {
  startModelService,
  type ModelService,
  type ModelServiceAnswer,
} from '../../../../tests/helpers/model-service.ts'
import { probeModels } from './probe-models.ts'

let folder: string
let service: ModelService
beforeEach(async () => {
  folder = await temporaryFolder('probe-models')
})
afterEach(() => service.close())

const completion = (message: object): ModelServiceAnswer => ({ json: completionOf(message) })
const answerTo = (asked: AskedOfModel): ModelServiceAnswer => ({ json: capableAnswer(asked) })
const refusal = refusalOf

const JUDGING = { temperature: 0, think: null }
const WRITING: ProbedRole[] = ['light_gen', 'graph_keyword', 'graph_extract', 'agentic', 'evaluator']
async function probed(reply: (asked: AskedOfModel) => ModelServiceAnswer, roles: ProbedRole[] = WRITING) {
  service = await startModelService(({ method, body }) =>
    method === 'GET' ? { status: 404, json: {} } : reply(body as AskedOfModel),
  )
  const base_url = `${service.url}/v1`
  const choice = MODEL_BACKENDS.openai.settings.parse({
    backend: 'openai',
    model: 'm',
    base_url,
    retries: 0,
    timeout_s: 20,
  })
  const request = {
    models: [{ choice, roles }],
    purpose: 'test' as const,
    judging: JUDGING,
    records: folder,
    model_cache: folder,
  }
  const { probes, records } = await probeModels(request, () => undefined)
  return { probes, records, base_url, found: probes.map(({ probe, status }) => `${probe} ${status}`) }
}

it('each kind of work that roles need is asked for as its callers ask for it', async () => {
  const { probes, found } = await probed(answerTo, [...WRITING, 'graph_query', 'embed'])
  expect(found).toEqual([
    'chat passed',
    'structured passed',
    'extraction passed',
    'critic passed',
    'tools passed',
    'embedding passed',
  ])
  expect(probes[0]).toMatchObject({ roles: ['light_gen', 'graph_query'], finding: 'the service reports no tokens' })
})

it('what a service refuses is replaced, named, kept, and not sent by the next start', async () => {
  const { probes, found, base_url } = await probed((asked) => {
    if (asked.temperature !== undefined) return refusal("Unsupported value: 'temperature'")
    if (asked.response_format !== undefined) return refusal('This response_format type is unavailable now')
    if (asked.tools !== undefined) return refusal('m does not support tools')
    return answerTo(asked)
  })
  expect(found).toEqual(['chat adapted', 'structured adapted', 'extraction adapted', 'critic adapted', 'tools adapted'])
  expect(probes.map(({ finding }) => finding?.split('; ')[1])).toEqual([
    'it refuses temperature, which is left out',
    ...Array<string>(3).fill('it refuses a schema, so JSON is asked for in words'),
    'it refuses tools, so they are described in words and its calls are read from its text',
  ])
  expect(Object.keys(keptRecord(folder, base_url, 'm')!.refused)).toEqual(['temperature', 'response_format', 'tools'])
  const next = new KnownModels(folder).of(base_url, 'm')
  expect(next.fit({ model: 'm', temperature: 0, tools: [{}] })).toEqual({ model: 'm' })
})

it('a test begins from scratch: what a service takes now is not refused any more', async () => {
  const first = await probed(answerTo, ['light_gen'])
  new KnownModels(folder).of(first.base_url, 'm').learn({ refused: { temperature: 'no' } })
  const choice = MODEL_BACKENDS.openai.settings.parse({ backend: 'openai', model: 'm', base_url: first.base_url })
  await probeModels(
    {
      models: [{ choice, roles: ['light_gen'] }],
      purpose: 'test' as const,
      judging: JUDGING,
      records: folder,
      model_cache: folder,
    },
    () => undefined,
  )
  expect(keptRecord(folder, first.base_url, 'm')!.refused).toEqual({})
})

it('a role that cannot work fails alone, with the reason', async () => {
  const { probes, found } = await probed((asked) =>
    asked.tools === undefined && !/"relations"/.test(asked.messages[0]!.content)
      ? answerTo(asked)
      : completion({ content: 'I think that it was in 1904.' }),
  )
  expect(found).toEqual(['chat passed', 'structured passed', 'extraction failed', 'critic passed', 'tools failed'])
  expect(probes[2]).toMatchObject({ roles: ['graph_extract'], error: expect.stringContaining('cannot be used') })
  expect(probes[4]!.error).toContain('it called no tool')
})

it('an answer that is reasoning alone is none, and what cannot work at all is asked for once', async () => {
  const empty = await probed(() => completion({ content: '', reasoning_content: 'hmm' }), ['light_gen'])
  expect(empty.probes[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('without its reasoning') })
  await service.close()
  const { found, probes } = await probed(() => refusal('model "m" not found', 404))
  expect(found).toEqual(['chat failed', 'structured skipped', 'extraction skipped', 'critic skipped', 'tools skipped'])
  expect(probes[0]).toMatchObject({ code: 'unknown_model', http_status: 404 })
  expect(service.calls).toHaveLength(1)
})

it('a limit of requests breaks nothing: the work is not known, and no further call is made', async () => {
  let calls = 0
  const { probes, found } = await probed(() => {
    calls += 1
    return { status: 429, json: { error: { message: 'slow down' } } }
  })
  expect(found).toEqual(['chat limited', 'structured limited', 'extraction limited', 'critic limited', 'tools limited'])
  expect([calls, probes[0]!.error, probes[0]!.http_status]).toEqual([1, expect.stringContaining('slow down'), 429])
})

describe('as a judge', () => {
  const verdictOf = (asked: AskedOfModel, scores: { A: number; B: number }) => {
    const token = /<<<question (\w+)>>>/.exec(asked.messages[1]!.content)![1]!
    const best = scores.A >= scores.B ? 'A' : 'B'
    return completion({ content: JSON.stringify({ check: token, reasons: { A: 'a', B: 'b' }, scores, best }) })
  }
  const isRightFirst = ({ messages: [, asked] }: AskedOfModel) =>
    asked!.content.indexOf('in 1904.\n<<<end answer') < asked!.content.indexOf('in 1931.\n<<<end answer')
  const judged = (reply: (asked: AskedOfModel) => ModelServiceAnswer) => probed(reply, ['judge'])
  const verdictsKept = (address: string) => keptRecord(folder, address, 'm')!.verdicts

  it('a model that prefers the right answer wherever it stands passes, in two requests as the panel makes them', async () => {
    const { probes, found, base_url } = await judged((asked) =>
      verdictOf(asked, isRightFirst(asked) ? { A: 5, B: 1 } : { A: 1, B: 5 }),
    )
    expect(found).toEqual(['judge passed'])
    expect(probes[0]).toMatchObject({ roles: ['judge'], finding: 'prefers the right answer in both orders' })
    expect(verdictsKept(base_url)).toBe('kept')
    const asked = service.calls.filter(({ method }) => method === 'POST').map(({ body }) => body as AskedOfModel)
    expect(asked.map(isRightFirst)).toEqual([true, false])
    expect(asked[0]!.messages.map(({ role }) => role)).toEqual(['system', 'user'])
  })

  it('is asked last: a verdict that takes too long says nothing about the other roles', async () => {
    const { found } = await probed(
      (asked) => (/You grade answers/.test(asked.messages[0]!.content) ? { status: 504, json: {} } : answerTo(asked)),
      ['light_gen', 'judge', 'agentic'],
    )
    expect(found).toEqual(['chat passed', 'tools passed', 'judge failed'])
  })

  it('a model that prefers a place works with what the panel does about it', async () => {
    const { probes, found, base_url } = await judged((asked) => verdictOf(asked, { A: 4, B: 2 }))
    expect(found).toEqual(['judge adapted'])
    expect(probes[0]!.finding).toMatch(/^it prefers the first answer in either order; ask for as many rotations/)
    expect(verdictsKept(base_url)).toBe('by_place')
  })

  it('a reply without a verdict gets a second request, and a model that writes none cannot judge', async () => {
    let calls = 0
    const repaired = await judged((asked) => {
      calls += 1
      if (!asked.messages[1]!.content.includes('An earlier reply could not be used'))
        return completion({ content: 'A.' })
      return verdictOf(asked, isRightFirst(asked) ? { A: 5, B: 1 } : { A: 1, B: 5 })
    })
    expect([calls, repaired.found]).toEqual([4, ['judge adapted']])
    expect(repaired.probes[0]!.finding).toContain('a second request names the fault')
    await service.close()
    const none = await judged(() => completion({ content: 'Both are fine.' }))
    expect(none.found).toEqual(['judge failed'])
    expect(none.probes[0]!.error).toBe('no verdict can be read from its reply: it holds no JSON object with "scores"')
    expect(verdictsKept(none.base_url)).toBe('unusable')
  })

  it('a model that prefers the answer against the reference in both orders cannot judge', async () => {
    const { probes, base_url } = await judged((asked) =>
      verdictOf(asked, isRightFirst(asked) ? { A: 1, B: 5 } : { A: 5, B: 1 }),
    )
    expect(probes[0]!.error).toContain('contradicts the reference')
    expect(verdictsKept(base_url)).toBe('wrong')
  })
})
