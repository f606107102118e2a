import { noAnswerText } from '../model-remedies.ts'
import { describe, expect, it } from 'vitest'
import {
  httpPlan,
  OwnApproach,
  ownApproachProblems,
  type HttpApproach,
} from '../../contract/manifests/own-approaches.ts'
import { OWN_PRESETS, ReplyMapping, type PresetName } from '../../contract/manifests/own-presets.ts'
import { describeIssues } from '../issues.ts'
import { OwnApproachError } from './own-reply.ts'
import { mappedReply, replyBody, valuesAt } from './reply.ts'

type Name = keyof typeof OWN_PRESETS

const SETTINGS = Object.fromEntries(
  ['chat_id', 'deployment', 'vector_store', 'workspace', 'dataset_id', 'corpus_key'].map((name) => [name, 'x']),
)
const approach = (preset: Name, more: object = {}): HttpApproach =>
  OwnApproach.parse({
    version: 1,
    kind: OWN_PRESETS[preset].kind,
    preset,
    url: 'http://127.0.0.1:1',
    settings: SETTINGS,
    ...more,
  }) as HttpApproach
const reply = (preset: Name, body: unknown) =>
  mappedReply(typeof body === 'string' ? replyBody(body) : body, httpPlan(approach(preset)).reply)
const openai = (message: object, more: object = {}) => ({
  choices: [{ message: { role: 'assistant', ...message } }],
  ...more,
})

describe('paths', () => {
  it('find values in lists, objects keyed by id, parallel arrays and by the value of a field', () => {
    const value = { a: [{ t: 'x', n: [1, 2] }, { t: 'y' }], keyed: { one: { t: 'p' }, two: { t: 'q' } } }
    expect(valuesAt(value, 'a[].n[]')).toEqual({ values: [1, 2], isMissing: true })
    expect(valuesAt(value, 'a[t=y].t').values).toEqual(['y'])
    expect(valuesAt(value, 'a[-1].t').values).toEqual(['y'])
    expect(valuesAt(value, 'keyed[].t').values).toEqual(['p', 'q'])
    expect(valuesAt(value, 'a[t=z].t')).toEqual({ values: [], isMissing: false })
    expect(valuesAt(value, 'b[].t')).toEqual({ values: [], isMissing: true })
  })

  it('are refused by field where they are no paths', () => {
    for (const answer of ['a..b', 'a.[b]', '.a', 'a[', 'a[]b'])
      expect(ReplyMapping.safeParse({ answer }).success).toBe(false)
    const parsed = OwnApproach.safeParse({ version: 1, kind: 'chat', url: 'ftp://x', body: {}, timeout_s: 0 })
    expect(describeIssues(parsed.error!)).toEqual([
      'timeout_s: at least 1 is required',
      'url: expected an http address without user name and password',
    ])
    const chat = OwnApproach.parse({ version: 1, kind: 'chat', url: 'http://a/{{room}}', body: { q: 1 } })
    expect(ownApproachProblems(chat)).toEqual([
      'body: no field holds {{question}}',
      'settings.room: missing, {{room}} is filled in from it',
      'reply.answer: missing, the path of the answer is required',
    ])
  })

  it('of every preset ask the question and read an answer or passages', () => {
    for (const name of Object.keys(OWN_PRESETS) as Name[])
      expect([name, ownApproachProblems(approach(name))]).toEqual([name, []])
  })
})

describe('what a mapper must handle', () => {
  it('1: passages that have to be asked for are asked for, and their absence is a failure that says so', () => {
    const body = (name: Name) => JSON.stringify(httpPlan(approach(name)).body)
    expect(body('lightrag')).toContain('"include_chunk_content":true')
    expect(body('ragflow')).toContain('"extra_body":{"reference":true}')
    expect(body('openai-file-search')).toContain('"include":["file_search_call.results"]')
    const bare = { response: 'A.', references: [{ reference_id: '1', file_path: 'a.md' }] }
    expect(() => reply('lightrag', bare)).toThrow(
      /passages at references\[\] have no text at content\[\]: ask the service/,
    )
    expect(() => reply('ragflow', openai({ content: 'A.' }))).toThrow(
      /no passages at .*reference.*ask the service for them/,
    )
    const found = { type: 'file_search_call', results: null }
    const output = [found, { type: 'message', content: [{ type: 'output_text', text: 'A.' }] }]
    expect(() => reply('openai-file-search', { output })).toThrow(/no passages at output/)
  })

  it('2: a failure inside a reply of success is a failure', () => {
    const failures: [Name, unknown, RegExp][] = [
      ['ragflow', openai({ content: '**ERROR**: no such chat', reference: [] }), /the answer is a failure: \*\*ERROR/],
      ['ragflow-retrieval', { code: 102, message: 'no dataset' }, /code: 102 \(no dataset\)/],
      ['anythingllm', { type: 'abort', textResponse: null, error: 'no model' }, /error: no model/],
      ['onyx', { answer: '', error_msg: 'the search failed' }, /error_msg: the search failed/],
      ['lightrag-data', { status: 'failure', message: 'no data' }, /no data/],
      ['dify-agent', 'data: {"event":"error","message":"quota"}\n\n', /quota/],
      ['create-llama', '3:"the model failed"\n', /the model failed/],
    ]
    for (const [name, body, message] of failures) expect(() => reply(name, body)).toThrow(message)
    const none = { status: 'failure', message: 'Query returned no results', data: {} }
    expect(reply('lightrag-data', none).contexts).toEqual([])
    const graph = ReplyMapping.parse({ answer: 'messages[-1].content', error: ['__error__'] })
    expect(() => mappedReply({ __error__: { error: 'E', message: 'node failed' } }, graph)).toThrow(/node failed/)
  })

  it('3: lists, objects keyed by id, parallel arrays, lists for each citation and lists of texts are passages', () => {
    const texts = (name: Name, body: unknown) =>
      reply(name, body).contexts!.map(({ text, document, score }) => [text, document, score])
    const chunk = { content: 'p', document_name: 'd.pdf', similarity: 0.5 }
    expect(texts('ragflow', openai({ content: 'A', reference: [chunk] }))).toEqual([['p', 'd.pdf', 0.5]])
    expect(texts('ragflow', openai({ content: 'A', reference: { chunks: { 7: chunk } } }))).toEqual([
      ['p', 'd.pdf', 0.5],
    ])
    const group = {
      source: { name: 'c' },
      document: ['p', 'q'],
      metadata: [{ name: 'a' }, { name: 'b' }],
      distances: [0.1, 0.2],
    }
    expect(texts('openwebui', openai({ content: 'A' }, { sources: [group] }))).toEqual([
      ['p', 'a', 0.1],
      ['q', 'b', 0.2],
    ])
    const source = { type: 'document', id: 'd1', document: { text: 'p', title: 'D' } }
    const message = {
      content: [
        { type: 'thinking', thinking: '…' },
        { type: 'text', text: 'A.' },
      ],
      citations: [{ sources: [source] }, { sources: [source] }],
    }
    expect(texts('cohere', { message })).toEqual([['p', 'd1', null]])
    expect(reply('cohere', { message }).answer).toBe('A.')
    const references = [{ reference_id: '1', file_path: 'a.md', content: ['p', 'q'] }]
    expect(texts('lightrag', { response: 'A', references })).toEqual([
      ['p', 'a.md', null],
      ['q', 'a.md', null],
    ])
  })

  it('4: nothing found and nothing reported are different', () => {
    expect(
      reply('r2r', { results: { generated_answer: 'A', search_results: { chunk_search_results: [] } } }).contexts,
    ).toEqual([])
    expect(() => reply('r2r', { results: { generated_answer: 'A', search_results: null } })).toThrow(/has no passages/)
    expect(reply('openwebui', openai({ content: 'A' })).contexts).toEqual([])
    expect(reply('openai', openai({ content: 'A' })).contexts).toBeNull()
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'A.' }] }]
    expect(reply('openai-file-search', { output }).contexts).toEqual([])
  })

  it('5: scores stay as they are in the order of the server, and are null where there are none', () => {
    const records = [0.2, 0.9, null].map((score, at) => ({
      score,
      segment: { content: `p${at}`, document: { name: 'd' } },
    }))
    expect(reply('dify-retrieval', { records }).contexts!.map(({ score }) => score)).toEqual([0.2, 0.9, null])
  })

  it('6: services that return cited passages alone are marked', () => {
    const cited = Object.entries(OWN_PRESETS).filter(
      ([name]) => httpPlan(approach(name as Name)).reply.contexts?.cited_only === true,
    )
    expect(cited.map(([name]) => name)).toEqual(['openai-citations', 'cohere'])
  })

  it('7: servers that stream by default are asked not to, and streams alone are read', () => {
    expect(httpPlan(approach('onyx')).body['stream']).toBe(false)
    const dify = [
      'event: ping',
      'data: {"event":"agent_message","answer":"It is "}',
      'data: {"event":"agent_message","answer":"1835."}',
      'data: {"event":"message_end","metadata":{"retriever_resources":[{"content":"p","document_name":"d","score":0.4}]}}',
    ].join('\n\n')
    expect(reply('dify-agent', dify)).toMatchObject({ answer: 'It is 1835.', contexts: [{ text: 'p', document: 'd' }] })
    const llama =
      '8:[{"type":"sources","data":{"nodes":[{"id":"1","text":"p","metadata":{"file_name":"d"},"score":0.3}]}}]\n0:"It is "\n0:"1835."\n'
    expect(reply('create-llama', llama)).toMatchObject({
      answer: 'It is 1835.',
      contexts: [{ text: 'p', document: 'd', score: 0.3 }],
    })
  })

  it('8: history reaches no prompt: sessions are new, or there is none', () => {
    for (const name of ['anythingllm', 'create-llama', 'dify'] as Name[])
      expect([name, JSON.stringify(httpPlan(approach(name)).body).includes('{{uuid}}')]).toEqual([name, true])
    expect(JSON.stringify(Object.values(OWN_PRESETS))).not.toMatch(/conversation_id|chat_session_id/)
  })

  it('9: signs of citations are no words of an answer', () => {
    const answers: [Name, unknown, string][] = [
      ['ragflow', openai({ content: 'In 1835 [ID:0].', reference: [] }), 'In 1835.'],
      ['openai-citations', openai({ content: 'In 1835 [doc1][doc2].', context: { citations: [] } }), 'In 1835.'],
      ['openwebui', openai({ content: 'In 1835 [1, 2].' }), 'In 1835.'],
      ['lightrag', { response: 'In 1835.\n\n### References\n\n- [1] a.md', references: [] }, 'In 1835.'],
      ['onyx', { answer: 'In 1835 [1].', answer_citationless: 'In 1835.', top_documents: [] }, 'In 1835.'],
    ]
    for (const [name, body, answer] of answers) expect(reply(name, body).answer).toBe(answer)
  })

  it.each([
    '<think>Sky?</think>\n\nBlue.',
    'Sky?\n</think>\n\nBlue.',
    '[THINK]Sky?[/THINK]Blue.',
    '<seed:think>Sky?</seed:think>Blue.',
    '<|channel|>analysis<|message|>Sky?<|end|><|start|>assistant<|channel|>final<|message|>Blue.',
  ])('reasoning is no part of an answer: %s', (content) => {
    expect(reply('openai', openai({ content })).answer).toBe('Blue.')
  })

  it('an answer of nothing but reasoning is a failure', () => {
    expect(() => reply('openai', openai({ content: '<think>It goes on' }))).toThrow(
      new OwnApproachError('failed', noAnswerText(null)),
    )
  })

  it('10: tokens are counted where a server reports them, and unknown elsewhere', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4 }
    expect(reply('openai', openai({ content: 'A' }, { usage })).usage).toEqual({ prompt: 3, completion: 4 })
    expect(reply('openai', openai({ content: 'A' }, { usage: {} })).usage).toBeNull()
    expect(reply('anythingllm', { textResponse: 'A', sources: [], error: null, metrics: {} }).usage).toBeNull()
    for (const name of ['lightrag', 'onyx', 'r2r', 'vectara', 'langserve'] satisfies PresetName[])
      expect(httpPlan(approach(name)).reply.usage).toBeNull()
  })
})
