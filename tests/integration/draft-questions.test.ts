import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { failureOf, startEngine, type EngineProcess } from '../helpers/engine-process.ts'
import { startModelService, type ModelService } from '../helpers/model-service.ts'

const LOCK = 'The lock of Hallow opens at six. Its keeper is Ada Brand.'
const PILOTS = 'Ada Brand was trained by the pilots of Norrey. Pilots are called on channel 12.'

const draft = (question: string, document: string, text: string) => ({
  question,
  answer: 'An answer.',
  quotes: [{ document, text }],
})
/** Lists what the scripted model replies, call by call. */
const REPLIES = [
  JSON.stringify({
    questions: [
      draft('When does the lock of Hallow open?', 'lock.md', 'The lock of Hallow opens at six.'),
      draft('Who paints the lock of Hallow?', 'lock.md', 'Carl Weems paints it green every spring.'),
      draft('Who is named in the text?', 'lock.md', 'Its keeper is Ada Brand.'),
    ],
  }),
  'I would rather write a poem about locks.',
]

const BOTH = JSON.stringify({
  questions: [
    {
      ...draft('Who trained the keeper of the lock of Hallow?', 'lock.md', 'Its keeper is Ada Brand.'),
      quotes: [
        { document: 'lock.md', text: 'Its keeper is Ada Brand.' },
        { document: 'pilots.md', text: 'Brand was trained by pilots of Norrey long ago.' },
      ],
    },
    draft('On which channel are the pilots of Hallow called?', 'pilots.md', 'Pilots are called on channel 12.'),
  ],
})

const COMPARED = JSON.stringify({
  questions: [
    {
      ...draft('Does Ada Brand work for the lock and the pilots of Norrey?', 'lock.md', 'Its keeper is Ada Brand.'),
      quotes: [
        { document: 'lock.md', text: 'Its keeper is Ada Brand.' },
        { document: 'pilots.md', text: 'Ada Brand was trained by the pilots of Norrey.' },
      ],
    },
  ],
})
const MISSING = JSON.stringify({
  questions: [
    { question: 'What does the keeper Ada Brand earn at the lock?', answer: 'Her pay is not stated.', quotes: [] },
    draft('Who keeps the lock of Hallow?', 'lock.md', 'Its keeper is Ada Brand.'),
  ],
})

let root: string
let engine: EngineProcess
let service: ModelService
const ID = { dataset_id: 'mine' }
const chats = () => service.calls.filter(({ path }) => path === '/v1/chat/completions')
const questionsFile = () => readFile(join(root, 'datasets/mine/dataset.yaml'), 'utf8')

beforeAll(async () => {
  let replies = 0
  service = await startModelService(({ path, body }) => {
    if (path !== '/v1/chat/completions') return { status: 404, json: {} }
    const asked = JSON.stringify(body)
    const byClass = asked.includes('that compare two things')
      ? COMPARED
      : asked.includes('could ask next')
        ? MISSING
        : null
    const asksForBoth = /lock\.md.*pilots\.md|pilots\.md.*lock\.md/s.test(JSON.stringify(body))
    const content = byClass ?? (asksForBoth ? BOTH : REPLIES[replies++ % REPLIES.length])
    const message = { role: 'assistant', content }
    const usage = { prompt_tokens: 300, completion_tokens: 80, total_tokens: 380 }
    const head = { id: 'x', object: 'chat.completion', created: 0, model: 'scripted' }
    return { json: { ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage } }
  })
  root = await smokeProject()
  await mkdir(join(root, 'datasets/mine/documents'), { recursive: true })
  await writeFile(join(root, 'datasets/mine/documents/lock.md'), `# Lock\n\n${LOCK}\n`)
  await writeFile(join(root, 'datasets/mine/documents/pilots.md'), `# Pilots\n\n${PILOTS}\n`)
  await writeFile(join(root, 'datasets/mine/documents/plan.pdf'), '%PDF-1.4')
  await writeFile(join(root, 'datasets/mine/dataset.yaml'), stringify({ version: 1, label: 'Mine', questions: [] }))
  const builtin = (model: string) => ({ backend: 'builtin', model })
  const roles = {
    embed: builtin('hashed-768'),
    evaluator_embed: builtin('hashed-768'),
    rerank: builtin('lexical-reranker'),
  }
  await mkdir(join(root, '.rag-ladder'), { recursive: true })
  await writeFile(
    join(root, '.rag-ladder/models.yaml'),
    stringify({
      version: 2,
      connections: { paid: { kind: 'compatible', base_url: `${service.url}/v1`, cloud: true } },
      sets: { paid: { default: { connection: 'paid', model: 'scripted' }, roles } },
    }),
  )
  engine = await startEngine(root, { RAG_MODEL_SET: 'paid' })
})
afterAll(async () => {
  expect(await engine.stop()).toBe(0)
  await service.close()
  await rm(root, { recursive: true, force: true })
})

it('nothing is sent to a model elsewhere before the plan of calls is confirmed', async () => {
  const { client } = engine
  const plan = await client.datasets.draftPlan({ ...ID, count: 6 })
  expect(plan).toMatchObject({
    calls: 2,
    documents: 2,
    unread_documents: 1,
    model: 'scripted',
    rules: false,
    leaves_machine: true,
    cost: { unknown: ['no price for scripted'] },
  })
  for (const confirmed of [{}, { confirmed_calls: 1 }])
    expect(
      await failureOf(client.datasets.draft({ ...ID, count: 6, ...confirmed }).then((steps) => Array.fromAsync(steps))),
    ).toMatchObject({ code: 'input_invalid' })
  expect(chats()).toEqual([])
})

it('drafts are checked, kept beside the dataset, and become questions when they are accepted', async () => {
  const { client } = engine
  const steps = await Array.fromAsync(await client.datasets.draft({ ...ID, count: 6, confirmed_calls: 2 }))
  expect(steps.at(-1)).toEqual({
    type: 'done',
    calls: 2,
    drafted: 1,
    repaired: 0,
    dropped: [
      { count: 1, reason: 'quote a passage that no document holds' },
      { count: 1, reason: 'ask about the document itself' },
      { count: 1, reason: 'replies that were not the JSON that was asked for' },
    ],
    usage: { input_tokens: 600, output_tokens: 160 },
  })
  expect(chats()).toHaveLength(2)
  expect(chats()[0]!.body).toMatchObject({ response_format: { type: 'json_schema' } })
  const { drafts } = await client.datasets.drafts(ID)
  expect(drafts).toMatchObject([
    {
      id: 'draft-1',
      model: 'scripted',
      rules: false,
      question: { gold: [{ document: 'lock.md', fact: 'The lock of Hallow opens at six.' }], hops: 1 },
    },
  ])
  expect(await questionsFile()).not.toContain('Hallow')

  const { revision } = await client.datasets.own(ID)
  const edited = { ...drafts[0]!.question, ground_truth: 'At six.' }
  const wrong = { ...edited, gold: [{ document: 'lock.md', fact: 'opens at seven' }] }
  const accept = (question: typeof edited) =>
    client.datasets.acceptDrafts({ ...ID, revision, drafts: [{ id: 'draft-1', question }] })
  expect(await failureOf(accept(wrong))).toMatchObject({ code: 'input_invalid' })
  expect((await client.datasets.drafts(ID)).drafts).toHaveLength(1)
  expect(await accept(edited)).toMatchObject({ questions: 1, tags: ['one_fact', 'draft'] })
  const { questions } = await client.datasets.ownQuestions(ID)
  expect(questions).toMatchObject([
    { ground_truth: 'At six.', rationale: 'Drafted by scripted, edited.', tags: ['one_fact', 'draft'] },
  ])
  expect((await client.datasets.drafts(ID)).drafts).toEqual([])

  const again = await Array.fromAsync(await client.datasets.draft({ ...ID, count: 6, confirmed_calls: 2 }))
  expect(again.at(-1)).toMatchObject({
    drafted: 0,
    dropped: expect.arrayContaining([{ count: 1, reason: 'ask what is asked already' }]),
  })
})

it('a draft of two hops has a passage of each document, the nearest one in place of one that is quoted wrongly', async () => {
  const { client } = engine
  const wish = { ...ID, count: 2, hops: 2 }
  const { calls } = await client.datasets.draftPlan(wish)
  expect(calls).toBe(1)
  const steps = await Array.fromAsync(await client.datasets.draft({ ...wish, confirmed_calls: calls }))
  expect(steps.at(-1)).toMatchObject({
    drafted: 1,
    repaired: 1,
    dropped: [{ count: 1, reason: 'rest on fewer passages than their class needs' }],
  })
  const { drafts } = await client.datasets.drafts(ID)
  expect(drafts).toMatchObject([
    {
      repaired: true,
      question: {
        hops: 2,
        gold: [
          { document: 'lock.md', fact: 'Its keeper is Ada Brand.' },
          { document: 'pilots.md', fact: 'Ada Brand was trained by the pilots of Norrey.' },
        ],
      },
    },
  ])
})

it('drafts have a class, how hard keyword search finds them, and what is nearest to an unanswerable one', async () => {
  const { client } = engine
  const wish = { ...ID, count: 2, classes: ['comparison' as const, 'unanswerable' as const] }
  const { calls } = await client.datasets.draftPlan(wish)
  expect(calls).toBe(2)
  const before = (await client.datasets.drafts(ID)).drafts.length
  const steps = await Array.fromAsync(await client.datasets.draft({ ...wish, confirmed_calls: calls }))
  expect(steps.at(-1)).toMatchObject({ drafted: 2, dropped: [] })
  const drafts = (await client.datasets.drafts(ID)).drafts.slice(before)
  expect(drafts).toMatchObject([
    {
      question_class: 'comparison',
      bm25_rank: expect.any(Number),
      question: {
        hops: 2,
        answerable: true,
        tags: ['comparison'],
        gold: [{ document: 'lock.md' }, { document: 'pilots.md' }],
      },
    },
    {
      question_class: 'unanswerable',
      bm25_rank: null,
      nearest: { document: expect.any(String), text: expect.stringContaining('Ada Brand') },
      question: { answerable: false, gold: [], hops: null, ground_truth: 'Her pay is not stated.' },
    },
  ])
  expect(drafts[0]!.nearest).toBeUndefined()
  const { revision } = await client.datasets.own(ID)
  const power = await client.datasets.draftPower({ ...ID, draft_ids: drafts.map(({ id }) => id) })
  expect(power).toMatchObject({ questions: 1, drafts: 2, planned_difference: { alone: null, questions: 2 } })
  expect((await client.datasets.own(ID)).revision).toBe(revision)
  expect(await failureOf(client.datasets.draftPower({ ...ID, draft_ids: ['draft-99'] }))).toMatchObject({
    code: 'input_invalid',
  })
  await client.datasets.acceptDrafts({ ...ID, revision, drafts: [{ id: drafts[1]!.id }] })
  expect(await questionsFile()).toMatch(/answerable: false[^]*unanswerable/)
})

it('a class that the documents have no passages for is refused with what it needs, before any call', async () => {
  const { client } = engine
  const sent = chats().length
  for (const [name, needs] of [
    ['aggregate', 'no name or term is in at least three documents'],
    ['time', 'no two documents with dates share a name or term'],
  ] as const)
    expect(await failureOf(client.datasets.draftPlan({ ...ID, count: 2, classes: [name] }))).toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining(needs),
    })
  expect(chats()).toHaveLength(sent)
})

it('the command line drafts by rules without a question, lists, accepts and rejects', async () => {
  const dataset = (...args: string[]) => runCli(['dataset', ...args, '--project', root])
  await mkdir(join(root, 'papers'))
  await writeFile(
    join(root, 'papers/terms.txt'),
    'A sluice is a gate that lets water out. A weir is a low dam across a river. A leat is a ditch for the water of a mill.',
  )
  expect(await dataset('new', 'terms')).toMatchObject({ code: 0 })
  expect(await dataset('add', 'terms', join(root, 'papers'))).toMatchObject({ code: 0 })
  const made = await dataset('draft', 'terms', '--count', '3', '--model-set', 'builtin')
  expect([made.code, made.stderr]).toEqual([0, ''])
  expect(made.stdout).toContain('Up to 1 call of rules')
  expect(made.stdout).toContain('3 drafts kept.')
  const listed = (await dataset('drafts', 'terms')).stdout
  expect(listed).toContain('draft-1  What is a sluice?')
  expect(listed).toMatch(/One fact · keyword search finds its passage at rank 1/)
  expect(listed).toContain('terms with all drafts has too few questions to test')
  expect(await dataset('draft', 'terms', '--class', 'bridge,odd')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--class: there is no class odd; there are one_fact, bridge'),
  })
  expect(await dataset('draft', 'terms', '--class', 'bridge', '--model-set', 'builtin')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('rules draft questions of one fact only'),
  })
  expect(await dataset('drafts', 'terms', '--accept', 'draft-1,draft-2', '--reject', 'draft-3')).toMatchObject({
    code: 0,
    stdout: '2 drafts accepted: terms has 2 questions now\n1 draft rejected\n',
  })
  expect(await dataset('drafts', 'terms', '--accept', 'draft-1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('terms has no draft draft-1'),
  })
  expect(await readFile(join(root, 'datasets/terms/dataset.yaml'), 'utf8')).toContain(
    'Drafted by rules (extractive-answerer).',
  )
  const before = chats().length
  expect(await dataset('draft', 'terms', '--model-set', 'paid')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing was sent: give --yes'),
  })
  expect(chats()).toHaveLength(before)
})
