import { describe, expect, it } from 'vitest'
import { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { PROVIDER_QUIRKS } from '../../../tests/helpers/provider-quirks.ts'
import { normalizeEvidence } from './normalize-evidence.ts'

/** Lists within lists. */
const nested = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 1)

const choices = [{ message: { content: 'yes' } }]
const extension = {
  schema_version: 1,
  answer: 'yes',
  sources: [{ title: 'a.md', snippet: 's', score: 0.5 }],
  metrics: { seconds: 1, chunks: 1, llm_calls: 1, cloud_calls: 0 },
}

describe('a good answer in a form of its own', () => {
  it.each(Object.entries(PROVIDER_QUIRKS))('is read from %s', (_provider, body) => {
    const read = normalizeEvidence(body, 'answer_with_contexts')
    const { usage, id } = body as { usage?: object | null; id?: string }
    expect(read).toMatchObject({ ok: true, evidence: { answer: 'yes', response_id: id ?? null, transport: null } })
    if (!read.ok) return
    expect(read.evidence.token_usage).toEqual(
      usage === null || usage === undefined ? null : { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
    )
    expect(CanonicalRow.shape.evidence.safeParse(read.evidence).error).toBeUndefined()
  })

  it.each([
    ['usage with words for numbers', { usage: { prompt_tokens: 'many', completion_tokens: 1 } }, { token_usage: null }],
    ['usage with negative counts', { usage: { prompt_tokens: -1, completion_tokens: 1 } }, { token_usage: null }],
    [
      'usage of more tokens than any model takes',
      { usage: { prompt_tokens: 2 ** 53 - 1, completion_tokens: 1 } },
      { token_usage: null },
    ],
    ['an id that is a number', { id: 7 }, { response_id: null }],
    ['null as schema version', { rag_extension: { ...extension, schema_version: null } }, null],
    [
      'a null score',
      { rag_extension: { ...extension, sources: [{ ...extension.sources[0], score: null }] } },
      { sources: [{ title: 'a.md', snippet: 's', score: null }] },
    ],
    [
      'a source without a score',
      { rag_extension: { ...extension, sources: [{ title: 'a.md', snippet: 's' }] } },
      { sources: [{ title: 'a.md', snippet: 's', score: null }] },
    ],
    [
      'nulls in a source',
      {
        rag_extension: {
          ...extension,
          sources: [{ ...extension.sources[0], text: null, document: null, chunk_index: null }],
        },
      },
      { contexts: ['s'] },
    ],
    [
      'nulls for parts of other approaches',
      { rag_extension: { ...extension, adaptive: null, lazy_graph: null, graph: null, trajectory: null } },
      { transport: 'structured' },
    ],
    ['no server metrics', { rag_extension: { ...extension, metrics: null } }, { server_metrics: null }],
  ])('is read with %s', (_what, extra, expected) => {
    const read = normalizeEvidence({ choices, ...extra }, 'answer_with_contexts')
    if (expected === null) expect(read).toMatchObject({ ok: false, type: 'schema_mismatch' })
    else expect(read).toMatchObject({ ok: true, evidence: expected })
  })
})

describe('reasoning in a reply', () => {
  const REPLIES = [
    '<think>Sky?</think>\n\nBlue.',
    'Sky?\n</think>\n\nBlue.',
    '[THINK]Sky?[/THINK]Blue.',
    '<seed:think>Sky?</seed:think>Blue.',
    '<|channel|>analysis<|message|>Sky?<|end|><|start|>assistant<|channel|>final<|message|>Blue.<|return|>',
    'analysisSky?assistantfinalBlue.',
  ]
  const BLOCK =
    '\n\n<details><summary>Sources</summary>\n\n1. **a.md** (score 0.5)\n   > it quotes [/THINK]\n\n</details>'
  const said = (content: unknown) => ({ choices: [{ message: { content } }] })

  it.each(REPLIES)('is no part of the answer, and stays in the raw content: %s', (reply) => {
    expect(normalizeEvidence(said(reply), 'answer_with_contexts')).toMatchObject({
      ok: true,
      evidence: { answer: 'Blue.', raw_content: reply },
    })
    const body = { ...said(reply), rag_extension: { ...extension, answer: reply } }
    expect(normalizeEvidence(body, 'answer_with_contexts')).toMatchObject({
      ok: true,
      evidence: { answer: 'Blue.', raw_content: reply },
    })
  })

  it.each(REPLIES)('is no part of an answer with a rendered block of sources: %s', (reply) => {
    expect(normalizeEvidence(said(reply + BLOCK), 'answer_with_contexts')).toMatchObject({
      ok: true,
      evidence: { answer: 'Blue.', contexts: ['it quotes [/THINK]'], raw_content: reply + BLOCK },
    })
  })

  it.each([
    ['thinking', 'thinking'],
    ['reasoning', 'text'],
  ])('is no part of an answer in parts: %s', (type, field) => {
    const parts = [
      { type, [field]: 'Sky?' },
      { type: 'text', text: 'Blue.' },
    ]
    expect(normalizeEvidence(said(parts), 'answer_with_contexts')).toMatchObject({ evidence: { answer: 'Blue.' } })
  })

  it.each(['<think>Sky?</think>', '<think>It goes on', '<|channel|>analysis<|message|>Sky?'])(
    'that is all of the reply leaves no answer: %s',
    (reply) => {
      const message =
        'the answering model returned no text: its reply is empty without its reasoning. Give it a higher limit of answer tokens, or less reasoning effort'
      const problem = { ok: false, type: 'invalid_response', message }
      expect(normalizeEvidence(said(reply), 'answer_with_contexts')).toEqual(problem)
      const body = { choices, rag_extension: { ...extension, answer: reply } }
      expect(normalizeEvidence(body, 'answer_with_contexts')).toEqual(problem)
    },
  )
})

it.each(['', '<think>It goes on'])(
  'an answer whose tokens all went into reasoning says so, and what to do: "%s"',
  (content) => {
    const body = { choices: [{ message: { content, reasoning_content: 'hmm' }, finish_reason: 'length' }] }
    expect(normalizeEvidence(body, 'answer_with_contexts')).toEqual({
      ok: false,
      type: 'invalid_response',
      message:
        'the answering model returned no text: all tokens went into its reasoning. Give it a higher limit of answer tokens, or less reasoning effort',
    })
  },
)

describe('an answer of an agent', () => {
  const step = (error: string | null) => ({ step: 1, tool: 'search', arguments: {}, result: null, error, seconds: 0.1 })
  it.each([
    ['called no tool', [], true],
    ['only called tools that failed', [step('unknown tool')], true],
    ['searched', [step('unknown tool'), step(null)], false],
  ])('that %s has isUnsearched as it is', (_what, trajectory, isUnsearched) => {
    const read = normalizeEvidence({ choices, rag_extension: { ...extension, trajectory } }, 'answer_with_contexts')
    expect(read).toMatchObject({ ok: true, isUnsearched })
  })

  it('of an approach without an agent is not marked', () => {
    const read = normalizeEvidence({ choices, rag_extension: extension }, 'answer_with_contexts')
    expect(read).toMatchObject({ ok: true, isUnsearched: false })
  })
})

it.each([
  [{}, 'invalid_response'],
  [null, 'invalid_response'],
  [{ choices: [] }, 'invalid_response'],
  [{ choices: [{ message: null }] }, 'invalid_response'],
  [{ choices: [{ message: { content: 7 } }] }, 'invalid_response'],
  [{ choices: [{ message: { content: null } }] }, 'invalid_response'],
  [{ choices: [{ message: { content: ' ' } }] }, 'invalid_response'],
  [{ error: { message: 'overloaded', code: 502 } }, 'invalid_response'],
  [{ choices, rag_extension: { ...extension, schema_version: 2 } }, 'schema_mismatch'],
  [{ choices, rag_extension: { ...extension, answer: null } }, 'schema_mismatch'],
  [
    { choices, rag_extension: { ...extension, sources: [{ title: 'a.md', snippet: 's', score: 'high' }] } },
    'schema_mismatch',
  ],
  [{ choices, rag_extension: 'none' }, 'schema_mismatch'],
  // A row cannot hold it: it is one failed cell, not the end of the run.
  [{ choices, rag_extension: { ...extension, route: { weight: Infinity } } }, 'invalid_response'],
  [{ choices, rag_extension: { ...extension, tree: nested(5000) } }, 'invalid_response'],
])('what is no answer: case %# of a bad one is refused', (body, type) => {
  expect(normalizeEvidence(body, 'answer_with_contexts')).toMatchObject({ ok: false, type })
})

it.each([
  [['the whole text', 'another'], 'full'],
  [[undefined, undefined], 'snippet'],
  [['the whole text', undefined], 'mixed'],
] as const)('names which text of its sources the contexts are: %j', (texts, kind) => {
  const sources = texts.map((text) => ({
    title: 't',
    snippet: 'the whole',
    score: 1,
    ...(text === undefined ? {} : { text }),
  }))
  const body = {
    choices: [{ message: { role: 'assistant', content: 'a' } }],
    rag_extension: {
      schema_version: 1,
      answer: 'a',
      sources,
      metrics: { seconds: 1, chunks: 2, llm_calls: 1, cloud_calls: 0 },
    },
  }
  expect(normalizeEvidence(body, 'answer_with_contexts')).toMatchObject({ ok: true, contextText: kind })
  expect(normalizeEvidence(body, 'answer_only')).toMatchObject({ ok: true, contextText: null })
})

describe('the end of an answer', () => {
  const ended = (finish_reason: string | null, message: object) =>
    normalizeEvidence({ choices: [{ finish_reason, message: { role: 'assistant', ...message } }] }, 'answer_only')

  it('that a limit of tokens cut is marked, and no other', () => {
    expect(['length', 'stop', null].map((reason) => ended(reason, { content: 'a' }))).toMatchObject([
      { ok: true, isCut: true },
      { ok: true, isCut: false },
      { ok: true, isCut: false },
    ])
  })

  it('that a filter withheld, or a refusal in its own field, is a failure by that name', () => {
    expect(ended('content_filter', { content: 'the beginning' })).toMatchObject({ ok: false, type: 'content_filtered' })
    expect(ended('stop', { content: null, refusal: 'I cannot help with that.' })).toEqual({
      ok: false,
      type: 'refused',
      message: 'the model refused to answer: I cannot help with that.',
    })
  })
})

it('an answer whose bytes are not valid UTF-8 is marked in its row', () => {
  const bytes = Buffer.concat([Buffer.from('the M'), Buffer.from([0xfc]), Buffer.from('hle'), Buffer.from([0xff])])
  const read = normalizeEvidence({ choices: [{ message: { content: bytes.toString('utf8') } }] }, 'answer_only')
  expect(read).toMatchObject({ ok: true, evidence: { unreadable_characters: 2 } })
  if (!read.ok) return
  expect(CanonicalRow.shape.evidence.safeParse(read.evidence).error).toBeUndefined()
  const whole = normalizeEvidence({ choices }, 'answer_only')
  expect(whole.ok && 'unreadable_characters' in whole.evidence).toBe(false)
})

describe('passages that an engine reports as used', () => {
  const read = (used_passages: unknown, capability: 'answer_only' | 'answer_with_contexts' = 'answer_only') =>
    normalizeEvidence({ choices, rag_extension: { ...extension, used_passages, graph: { chunks: 1 } } }, capability)
  const passage = { title: 'a.md', snippet: 's', score: null, text: 'The lock was opened.', document: 'a.md' }

  it('are kept with their text, and are neither contexts nor metadata', () => {
    const row = read([passage])
    expect(row).toMatchObject({ ok: true, contextText: null, evidence: { contexts: [], used_passages: [passage] } })
    if (!row.ok) return
    expect(row.evidence.approach_metadata).toEqual({ graph: { chunks: 1 } })
    expect(CanonicalRow.shape.evidence.safeParse(row.evidence).error).toBeUndefined()
  })

  it.each([[null], ['a text'], [[{ snippet: 's' }]]])('are unknown when they are sent as %j', (sent) => {
    const row = read(sent)
    expect(row.ok && 'used_passages' in row.evidence).toBe(false)
    expect(row).toMatchObject({ ok: true, evidence: { answer: 'yes' } })
  })
})
