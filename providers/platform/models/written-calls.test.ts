import { describe, expect, it } from 'vitest'
import { splitThinking } from '../../../core/thinking.ts'
import { writtenCalls } from './written-calls.ts'

const TOOLS = new Map<string, unknown>([
  [
    'search',
    {
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'integer' }, exact: { type: ['boolean', 'null'] } },
    },
  ],
  ['today', undefined],
])
const callsIn = (whole: string, legacy?: unknown) =>
  writtenCalls({ whole, text: splitThinking(whole).answer, legacy }, TOOLS).map(({ name, given }) => [name, given])
const LOCK = [['search', { query: 'lock' }]]

describe('a call of a tool is read', () => {
  it.each([
    ['our own form', '{"tool": "search", "arguments": {"query": "lock"}}'],
    ['Hermes and Qwen', '<tool_call>\n{"name": "search", "arguments": {"query": "lock"}}\n</tool_call>'],
    ['Llama 3.x', '<|python_tag|>{"name": "search", "parameters": {"query": "lock"}}'],
    ['the API', '{"type": "function", "function": {"name": "search", "arguments": "{\\"query\\": \\"lock\\"}"}}'],
    ['Llama 3.1 with a tag', '<function=search>{"query": "lock"}</function>'],
    ['a tag without its bracket', '<function=search{"query": "lock"}</function>'],
    ['Qwen3-Coder', '<tool_call>\n<function=search>\n<parameter=query>\nlock\n</parameter>\n</function>\n</tool_call>'],
    ['Qwen3-Coder on one line', '<function=search><parameter=query>lock</parameter></function>'],
    ['Mistral, a list', '[TOOL_CALLS][{"name": "search", "arguments": {"query": "lock"}}]'],
    ['Mistral, name and arguments', '[TOOL_CALLS]search[ARGS]{"query": "lock"}'],
    ['Mistral with an id', '[TOOL_CALLS]search[CALL_ID]a1B2c3D4e[ARGS]{"query": "lock"}'],
    ['Llama as Python', '[search(query="lock")]'],
    ['Llama as Python with marks', "<|python_start|>[search(query='lock')]<|python_end|><|eot|>"],
    [
      'DeepSeek V3 and R1',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n{"query": "lock"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    [
      'DeepSeek V3.1',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "lock"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    [
      'gpt-oss',
      '<|channel|>analysis<|message|>I look it up.<|end|><|start|>assistant<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "lock"}<|call|>',
    ],
    [
      'gpt-oss with the tool in the role',
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.search<|channel|>commentary json<|message|>{"query": "lock"}<|call|>',
    ],
    ['gpt-oss without marks', 'analysisI look it up.assistantcommentary to=functions.search json{"query": "lock"}'],
  ])('%s', (_, reply) => {
    expect(callsIn(reply)).toEqual(LOCK)
    expect(callsIn(reply.replaceAll('search', 'delete'))).toEqual([])
  })

  it('the legacy field function_call', () => {
    expect(callsIn('', { name: 'search', arguments: '{"query": "lock"}' })).toEqual(LOCK)
    expect(callsIn('', { name: 'delete', arguments: '{}' })).toEqual([])
    expect(callsIn('', { name: 'search', arguments: '{"query": ' })).toEqual([])
  })

  it.each([
    ['Qwen3-Coder', '<function=search><parameter=query>a</parameter></function><function=today>\n</function>'],
    ['Mistral', '[TOOL_CALLS]search[ARGS]{"query": "a"}[TOOL_CALLS]today[ARGS]{}'],
    ['Python', '[search(query="a"), today()]'],
    [
      'DeepSeek',
      '<｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "a"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>today<｜tool▁sep｜>{}<｜tool▁call▁end｜>',
    ],
  ])('two calls of one reply: %s', (_, reply) => {
    expect(callsIn(reply)).toEqual([
      ['search', { query: 'a' }],
      ['today', {}],
    ])
  })

  it('values of Qwen3-Coder with the type that the tool declares', () => {
    const reply =
      '<function=search><parameter=query>\n12\n</parameter><parameter=limit>3</parameter><parameter=exact>null</parameter></function>'
    expect(callsIn(reply)).toEqual([['search', { query: '12', limit: 3, exact: null }]])
    expect(callsIn(reply.replace('>3<', '>three<'))).toEqual([['search', { query: '12', limit: 'three', exact: null }]])
    expect(callsIn('<function=search><parameter=query>a </function> b</parameter></function>')).toEqual([
      ['search', { query: 'a </function> b' }],
    ])
  })

  it('values of Python', () => {
    expect(
      callsIn(
        `[search(query='it\\'s "a"\\n\\u00e9', limit=-2, exact=None, list=[1.5, True, ('x',),], map={"k": False})]`,
      ),
    ).toEqual([
      ['search', { query: 'it\'s "a"\né', limit: -2, exact: null, list: [1.5, true, ['x']], map: { k: false } }],
    ])
  })
})

it.each([
  'In 1904 [search(query="lock")] was typed.',
  '[search("lock")]',
  '[search(query=lock)]',
  '[search(query="lock")] and more',
  '[1]',
  '[TOOL_CALLS]search[ARGS]{"query": "lo',
  '<function=search><parameter=query>lock',
  '<function=search><parameter=query>lock</parameter>',
  '<think><function=search>{"query": "lock"}</function></think>In 1904.',
  '<|channel|>analysis<|message|>Perhaps commentary to=functions.search {"query": "lock"}<|end|>',
  'The commentary to=functions.search {"query": "lock"} is a form.',
])('is no call of a tool: %j', (reply) => {
  expect(callsIn(reply)).toEqual([])
})

it('is no call of a tool where its values are too deep', () => {
  expect(callsIn(`[search(query=${'['.repeat(100_000)}`)).toEqual([])
})

it.each([
  ['heads of Mistral', '[TOOL_CALLS]search[ARGS]{"'.repeat(20_000)],
  ['heads of Qwen', '<function=search><parameter=query>'.repeat(20_000)],
  ['strings of Python', `[search(query="${'\\"'.repeat(500_000)}`],
])('takes time in proportion to a reply of %s', (_, reply) => {
  // Processor time of this thread: a busy machine makes no reply slower to read.
  const before = process.threadCpuUsage()
  callsIn(reply)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(4000)
})
