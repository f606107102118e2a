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
      // The model's template wrote the opening tag.
      `maybe {"route":"vector"} hmm\n</think>\n${json}`,
      `<thinking>maybe {"route":"vector"}?</thinking>${json} and no {"answer": 1}`,
      `{"route":"vector"} No, it needs two hops:\n${json}`,
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
    expect(parseClassifyReply('{"route":"graph"} is a draft\n</think>\nI am not sure.', routes)).toMatchObject({
      ok: false,
      code: 'no_json',
    })
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
        relations: [{ source: 'Ada', target: 'Bo', keywords: ['knows', 'met'], description: '' }],
        dropped: 0,
      },
    })
    expect(parseExtractReply('{"entities":"none"}')).toMatchObject({ ok: false, code: 'wrong_shape' })
  })

  const FULL = JSON.stringify({
    entities: [
      { name: 'Quay Trust', type: 'organization', description: 'A trust.' },
      { name: 'Ann', type: 'person', description: 'A person.' },
    ],
    relations: [{ source: 'Ann', target: 'Quay Trust', description: 'Ann founded it.' }],
  })

  it.each([
    ['a reply that was cut', FULL.slice(0, FULL.length * 0.7)],
    ['an error', '{"error":"I cannot do that"}'],
    ['a refusal with empty braces', 'I am sorry {}'],
    ['a list of triples', '[{"head":"Ann","relation":"works for","tail":"Quay Trust"}]'],
    ['lists inside another object', `{"result":${FULL}}`],
    ['other keys', FULL.replaceAll('"entities"', '"Entities"')],
    ['a missing list', FULL.replaceAll('"relations"', '"relationships"')],
    ['entries without names', '{"entities":[{"name":""},{"type":"person"}],"relations":[]}'],
    ['invalid JSON', FULL.replace('}],', '},],')],
  ])('%s is a failure, not an extraction without entities', (_, reply) => {
    expect(parseExtractReply(reply)).toMatchObject({ ok: false })
  })

  it('reads two empty lists as a text without names', () => {
    expect(parseExtractReply('{"entities":[],"relations":[]}')).toEqual({
      ok: true,
      value: { entities: [], relations: [], dropped: 0 },
    })
  })

  it('drops entries of the wrong shape one by one and counts them', () => {
    const reply = JSON.stringify({
      entities: [{ name: 'Ann', type: null, description: null }, { name: '' }, null],
      relations: [
        { source: 'Ann', target: null },
        { source: 'Ann', target: 'Bo', keywords: 7 },
      ],
    })
    expect(parseExtractReply(reply)).toEqual({
      ok: true,
      value: {
        entities: [{ name: 'Ann', type: 'concept', description: '' }],
        relations: [{ source: 'Ann', target: 'Bo', keywords: [], description: '' }],
        dropped: 3,
      },
    })
  })

  it('takes the last of several objects of the right shape', () => {
    const drafts = '{"route":"vector"} No, it joins facts: {"route":"graph"} {"note":"done"}'
    expect(parseClassifyReply(drafts, routes)).toMatchObject({ ok: true, value: { route: 'graph' } })
  })

  it.each(['{"keywords":["a"]}', '{"high_level":["a"]}', '{"high_level":"a","low_level":[]}'])(
    'keywords need both lists: %s',
    (reply) => {
      expect(parseKeywordsReply(reply)).toMatchObject({ ok: false, code: 'wrong_shape' })
    },
  )
})
