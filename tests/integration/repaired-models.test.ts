import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { readAggregate } from '../../main/report/publication/write-artifacts.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { ladderArgs, planOf, rowsOf } from '../helpers/ladder-run.ts'
import { startModelService, type ModelService } from '../helpers/model-service.ts'
import { writeModelSet } from '../helpers/model-set.ts'

// A run fails because of a setting of a model; the person corrects what the failure names, and resumes.

let root: string
let service: ModelService
const NEEDED_TOKENS = 100
/** Roles that the service of models answers for, with their limits of tokens; the others answer by rules. */
interface Setting {
  limits: Record<string, number>
  url?: string
  timeoutS?: number
}

const chat = (body: unknown): { choices: object[]; usage: object; model: string; id: string; object: string } => {
  const { max_tokens: limit = 0 } = (body ?? {}) as { max_tokens?: number }
  const isCut = limit < NEEDED_TOKENS
  // A model that thinks first spends a small limit before it writes anything.
  const message = isCut
    ? { role: 'assistant', content: '', reasoning_content: 'The documents say …' }
    : { role: 'assistant', content: 'The lock was opened in May 1904 [1].' }
  return {
    id: 'c',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message, finish_reason: isCut ? 'length' : 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  }
}

beforeEach(async () => {
  root = await smokeProject()
  service = await startModelService(({ body }) => ({ json: chat(body) }))
})
afterEach(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

const setModels = ({ limits, timeoutS = 5, url = `${service.url}/v1` }: Setting): Promise<void> =>
  writeModelSet(root, 'own', { url, timeoutS }, (roles) =>
    Object.entries(limits).reduce(
      (changed, [role, limit]) =>
        changed.replace(
          new RegExp(`\\b${role}: \\{[^}]*\\}`),
          `${role}: { connection: own, model: m, defaults: { max_tokens: ${limit} } }`,
        ),
      roles,
    ),
  )

const evidence = (): string => join(root, 'results/test-smoke-evidence.jsonl')
const ladder = (models: string, ...more: string[]) =>
  runCli(
    ladderArgs(
      root,
      '--models',
      models,
      '--model-set',
      'own',
      '--no-publish',
      '--no-evaluate',
      '--no-cold-reset',
      ...more,
    ),
  )
const limitsOf = async (role: string) =>
  (await rowsOf(evidence())).map(({ status, reproducibility: { runtime } }) => [
    status,
    (runtime.models!.roles[role]!.settings!['defaults'] as { max_tokens: number }).max_tokens,
  ])

it('a run whose answers all failed at a limit of tokens is finished after the limit is raised, and each row records its own', async () => {
  await setModels({ limits: { light_gen: 20 } })
  expect((await ladder('vanilla-rag')).code).not.toBe(0)
  expect((await rowsOf(evidence())).map(({ status }) => status)).not.toContain('ok')
  await setModels({ limits: { light_gen: 400 } })
  const resumed = await ladder('vanilla-rag')
  expect([resumed.code, planOf(resumed)]).toMatchObject([0, { run: 4, retry: 4, conflicts: [] }])
  expect(await limitsOf('light_gen')).toEqual([
    ...Array.from({ length: 4 }, () => ['error', 20]),
    ...Array.from({ length: 4 }, () => ['ok', 400]),
  ])
  expect(await verifyEvidence(evidence())).toMatchObject({ ok: true, rows: 8, supersededRows: 4 })
  const aggregate = await readAggregate(join(root, 'results/test-smoke-evaluation.json'))
  expect(aggregate!.reproducibility!.runtime.models!.roles['light_gen']).toMatchObject({
    settings: { defaults: { max_tokens: 400 } },
  })
})

it('a run that is resumed with fewer approaches counts the failures of the earlier setting that are left', async () => {
  await setModels({ limits: { light_gen: 20 } })
  expect((await ladder('vanilla-rag,hybrid-rag')).code).not.toBe(0)
  await setModels({ limits: { light_gen: 400 } })
  const isOutdated = (message: string): boolean => message.includes('were not tried again')
  const noticesOf = (run: Awaited<ReturnType<typeof ladder>>) =>
    run.events.flatMap(({ type, message }) => (type === 'notice' ? [String(message)] : [])).filter(isOutdated)
  expect(noticesOf(await ladder('vanilla-rag'))).toEqual([
    expect.stringMatching(/^smoke: 4 stored failures of test were not tried again, .* resume the run with all/),
  ])
  expect(noticesOf(await ladder('vanilla-rag,hybrid-rag'))).toEqual([])
})

it('a time limit of a model is no condition: what it failed is tried again beside stored answers', async () => {
  await setModels({ limits: { light_gen: 400 } })
  expect((await ladder('vanilla-rag')).code).toBe(0)
  await setModels({ limits: { light_gen: 400 }, timeoutS: 60 })
  const more = await ladder('vanilla-rag,hybrid-rag')
  expect([more.code, planOf(more)]).toMatchObject([0, { reuse: 4, run: 4, conflicts: [] }])
  expect(await verifyEvidence(evidence())).toMatchObject({ ok: true, rows: 8 })
})

it('a limit that completed answers were written under is refused before anything is ingested, with model, field and both values', async () => {
  await setModels({ limits: { light_gen: 400 } })
  expect((await ladder('vanilla-rag')).code).toBe(0)
  const before = await readFile(evidence())
  await setModels({ limits: { light_gen: 900 } })
  const refused = await ladder('vanilla-rag,hybrid-rag')
  expect(refused.code).toBe(4)
  const failure = refused.events.find(({ type }) => type === 'step.failed')!
  expect(failure).toMatchObject({ step: 'validate', code: 'resume_conflict' })
  expect(failure['message']).toContain(
    'max_tokens of the model m, which writes answers (manifests/models.yaml, .rag-ladder/models.yaml): 400 → 900.',
  )
  expect((await readFile(evidence())).equals(before)).toBe(true)
})

it('another value of the variable that an address begins with is refused by plan and resume, and never shown', async () => {
  await setModels({ limits: { light_gen: 400 }, url: '${OWN_MODELS_URL}/v1' })
  const args = ladderArgs(root, '--models', 'vanilla-rag', '--model-set', 'own', '--no-publish', '--no-evaluate')
  const at = (url: string) => runCli([...args, '--no-cold-reset'], { OWN_MODELS_URL: url })
  expect((await at(service.url)).code).toBe(0)
  expect(planOf(await at(service.url))).toMatchObject({ reuse: 4, run: 0, conflicts: [] })
  expect(await verifyEvidence(evidence())).toMatchObject({ ok: true, rows: 4 })
  const other = await at(service.url.replace('127.0.0.1', 'localhost'))
  expect(other.code).toBe(4)
  expect(other.events.find(({ type }) => type === 'step.failed')!['message']).toContain(
    'value of the variable in the address or path of the model m, which writes answers (manifests/models.yaml, .rag-ladder/models.yaml).',
  )
  expect(await readFile(evidence(), 'utf8')).not.toContain(new URL(service.url).port)
})

it('a setting of a role that no completed answer asked is repaired beside the answers of other approaches', async () => {
  await setModels({ limits: { light_gen: 400, agentic: 20 } })
  expect((await ladder('vanilla-rag,agentic-rag')).code).not.toBe(0)
  const ok = (await rowsOf(evidence())).filter(({ status }) => status === 'ok')
  expect(new Set(ok.map(({ approach }) => approach.model))).toEqual(new Set(['vanilla-rag']))
  await setModels({ limits: { light_gen: 400, agentic: 400 } })
  const resumed = await ladder('vanilla-rag,agentic-rag')
  expect(planOf(resumed)).toMatchObject({ reuse: 4, run: 4, retry: 4, conflicts: [] })
  expect(await verifyEvidence(evidence())).toMatchObject({ ok: true, rows: 12 })
})
