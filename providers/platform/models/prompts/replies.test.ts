import { describe, expect, it } from 'vitest'
import { parseClassifyReply } from './classify-task.ts'
import { parseExtractReply } from './extract-task.ts'
import { parseKeywordsReply } from './keywords-task.ts'

const routes = [
  { name: 'vector', description: 'single facts' },
  { name: 'graph', description: 'relations' },
]

describe('JSON replies', () => {
  it('reads bare, fenced and chatty replies', () => {
    const value = { route: 'graph', reason: 'two hops' }
    const json = JSON.stringify(value)
    for (const reply of [
      json,
      `\`\`\`json\n${json}\n\`\`\``,
      `Sure! Here it is:\n${json}\nHope {that} helps.`,
      `<think>maybe {"route":"vector"}?</think>${json}`,
      `{"thought": "{"} ${json}`,
    ]) {
      expect(parseClassifyReply(reply, routes)).toEqual({ ok: true, value })
    }
  })

  it('matches a route name by its letters and fills in a missing reason', () => {
    expect(parseClassifyReply('{"route":" Graph "}', routes)).toEqual({
      ok: true,
      value: { route: 'graph', reason: '' },
    })
  })

  it('reports what is wrong', () => {
    expect(parseClassifyReply('graph', routes)).toMatchObject({ ok: false, code: 'no_json' })
    expect(parseClassifyReply('{"route":"gra', routes)).toMatchObject({ ok: false, code: 'no_json' })
    expect(parseClassifyReply('{"route":"agent"}', routes)).toEqual({
      ok: false,
      code: 'wrong_shape',
      message: 'route: names none of the routes',
    })
  })

  it('survives a flood of open braces', () => {
    expect(parseKeywordsReply('{'.repeat(100_000))).toMatchObject({ ok: false, code: 'no_json' })
  })

  it('cleans keywords', () => {
    expect(parseKeywordsReply('{"high_level":[" ownership ","ownership",""],"low_level":["E-4471",42]}')).toEqual({
      ok: true,
      value: { high_level: ['ownership'], low_level: ['E-4471', '42'] },
    })
  })

  it('reads an extraction with what models leave out or write otherwise', () => {
    const reply =
      '{"entities":[{"name":" Ada ","type":"Person"}],"relations":[{"source":"Ada","target":"Bo","keywords":"knows, met","weight":"7"}]}'
    expect(parseExtractReply(reply)).toEqual({
      ok: true,
      value: {
        entities: [{ name: 'Ada', type: 'person', description: '' }],
        relations: [{ source: 'Ada', target: 'Bo', keywords: ['knows', 'met'], description: '', weight: 7 }],
      },
    })
    expect(parseExtractReply('{"entities":"none"}')).toMatchObject({ ok: false, code: 'wrong_shape' })
  })
})
