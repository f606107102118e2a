import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TOKEN_ESTIMATE } from '../../../../contract/evidence/context-budget.ts'
import { ChatCompletion } from '../../../../contract/http/chat.ts'
import { completionOf, renderContent, streamFrames } from './completion.ts'
import { snippetOf } from './sources.ts'

const metrics = { seconds: 1.234, chunks: 1, llm_calls: 1, cloud_calls: 0 }
const UNTIMED = {
  firstTokenS: null,
  tokensPerSecond: null,
  reasoningTokens: 0,
  schemaReplies: 0,
  isCut: false,
  validSchemaReplies: 0,
  modelUsage: [],
}
const calls = { llmCalls: 1, cloudCalls: 0, embedCalls: 1, rerankCalls: 0, usage: null, ...UNTIMED }

describe('snippets', () => {
  it('are a beginning of at most 240 units that splits no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const snippet = snippetOf(text)
        expect(text.startsWith(snippet)).toBe(true)
        expect(snippet.length).toBeLessThanOrEqual(240)
        expect(snippet.length).toBeGreaterThanOrEqual(Math.min(text.length, 239))
        expect(snippet.isWellFormed()).toBe(true)
      }),
    )
  })

  it('leaves a character out that would be cut in half', () => {
    expect(snippetOf(`${'a'.repeat(239)}😀b`)).toBe('a'.repeat(239))
    expect(snippetOf(`${'a'.repeat(238)}😀b`)).toBe(`${'a'.repeat(238)}😀`)
  })
})

describe('rendered content', () => {
  it('shows answer, folded sources and cost', () => {
    const sources = [{ title: 'a.md', snippet: 'First line.\nSecond line.', score: 0.5 }]
    expect(renderContent('The answer.', sources, metrics)).toBe(
      [
        'The answer.',
        '<details>\n<summary>Sources (1)</summary>\n\n1. **a.md** (score 0.5000)\n   > First line. Second line.\n\n</details>',
        '_1.23 s · 1 chunk · 1 LLM call · 0 cloud calls_',
      ].join('\n\n'),
    )
  })

  it('leaves the block out when there are no sources', () => {
    expect(renderContent('The answer.', [], metrics)).not.toContain('<details>')
  })

  it('keeps a passage from ending the block or adding markup', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('</details>', '<script>', '&lt;', '\n\n', '1. **x**', 'text')), (parts) => {
        const hostile = parts.join(' ')
        const content = renderContent('A.', [{ title: hostile, snippet: hostile, score: 0 }], metrics)
        expect(content.match(/<\/?[a-z]+>/g)).toEqual(['<details>', '<summary>', '</summary>', '</details>'])
        expect(content.split('\n\n')).toHaveLength(5)
      }),
    )
  })
})

describe('completions', () => {
  const result = {
    answer: 'Yes.',
    sources: [{ title: 'a.md', snippet: 's', score: 1 }],
    chunks: 1,
    contextTokens: null,
  }

  it('say by their finish reason that the model was stopped by its limit of tokens', () => {
    const ending = (isCut: boolean) =>
      completionOf('vanilla-rag', result, { ...calls, isCut }, 0.5).choices[0]!.finish_reason
    expect([true, false].map(ending)).toEqual(['length', 'stop'])
  })

  it('carry when the first token came and how many came per second, where the model reports it', () => {
    const timed = completionOf('vanilla-rag', result, { ...calls, firstTokenS: 0.25, tokensPerSecond: 40 }, 0.5)
    expect(timed.rag_extension?.metrics).toMatchObject({ first_token_s: 0.25, tokens_per_second: 40 })
    const used = { model: 'm', cloud: true, calls: 1, unreported: 0, input_tokens: 7, output_tokens: 2 }
    const metered = completionOf('vanilla-rag', result, { ...calls, modelUsage: [used] }, 0.5)
    expect(metered.rag_extension?.metrics).toMatchObject({ model_usage: [used] })
    const untimed = completionOf('vanilla-rag', result, calls, 0.5)
    expect(Object.keys(untimed.rag_extension!.metrics)).toEqual(['seconds', 'chunks', 'llm_calls', 'cloud_calls'])
  })

  it('carry the evidence and a fresh id, and leave unknown usage out', () => {
    const [first, second] = [
      completionOf('vanilla-rag', result, calls, 0.5),
      completionOf('vanilla-rag', result, calls, 0.5),
    ]
    expect(ChatCompletion.parse(first)).toEqual(first)
    expect(first.id).not.toBe(second.id)
    expect(first).not.toHaveProperty('usage')
    expect(first.rag_extension).toEqual({
      schema_version: 1,
      answer: 'Yes.',
      sources: result.sources,
      metrics: { seconds: 0.5, chunks: 1, llm_calls: 1, cloud_calls: 0 },
    })
  })

  it('carry the tokens handed over, and confirm a budget only where it was kept', () => {
    const metrics = (contextTokens: number, budget?: number) =>
      completionOf('vanilla-rag', { ...result, contextTokens }, calls, 0.5, { context_budget: budget }).rag_extension!
        .metrics
    expect(metrics(900)).toMatchObject({ context_tokens: 900, context_tokens_by: TOKEN_ESTIMATE })
    expect(metrics(900)).not.toHaveProperty('context_budget')
    expect(metrics(900, 1000)).toMatchObject({ context_tokens: 900, context_budget: 1000 })
    expect(metrics(1100, 1000)).not.toHaveProperty('context_budget')
  })

  const long = { ...result, answer: 'The lock was opened in 1904. It was rebuilt in 1911.' }
  const limited = (limits: object) => {
    const { choices, rag_extension: extension } = completionOf('vanilla-rag', long, calls, 0.5, limits)
    return [choices[0]!.message.content, choices[0]!.finish_reason, extension!.answer]
  }

  it.each([
    [{ max_tokens: 4 }, 'The lock was opened', 'length'],
    [{ max_completion_tokens: 1, max_tokens: 4 }, 'The', 'length'],
    [{ stop: '1904' }, 'The lock was opened in ', 'stop'],
    [{ stop: ['nowhere', ' It was', '. '] }, 'The lock was opened in 1904', 'stop'],
    [{ stop: '1904', max_tokens: 4 }, 'The lock was opened', 'length'],
    [{ stop: '', max_tokens: 16 }, long.answer, 'stop'],
    [{ stop: 'Sources' }, long.answer, 'stop'],
  ])('with %j end the answer at %j for the reason %s, without room for sources', (limits, answer, reason) => {
    expect(limited(limits)).toEqual([answer, reason, answer])
  })

  it('with room for them carry sources and metrics after the answer', () => {
    const whole = completionOf('vanilla-rag', long, calls, 0.5).choices[0]!.message.content
    expect(limited({ max_tokens: 200, stop: 'nowhere' })).toEqual([whole, 'stop', long.answer])
    expect(whole).toContain('<details>')
  })

  it('stream as exactly two frames', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
    const completion = completionOf('vanilla-rag', result, { ...calls, usage }, 0.5)
    const [chunk, done, ...rest] = streamFrames(completion)
    expect(rest).toEqual([])
    expect(done).toBe('data: [DONE]\n\n')
    expect(chunk).toMatch(/^data: [^\n]*\n\n$/)
    expect(JSON.parse(chunk!.slice(6))).toEqual({
      id: completion.id,
      object: 'chat.completion.chunk',
      created: completion.created,
      model: 'vanilla-rag',
      usage,
      rag_extension: completion.rag_extension,
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', content: completion.choices[0]!.message.content },
          finish_reason: 'stop',
        },
      ],
    })
  })
})
