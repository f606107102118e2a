import fc from 'fast-check'
import { expect, it } from 'vitest'
import { testServer } from '../../../../tests/helpers/test-server.ts'
import { createHistogram } from './labelled.ts'
import { measureRequests, registerMetricsRoute } from './platform-metrics.ts'
import { metricsText, type Sample } from './text-format.ts'

it('writes the text format with its escapes', () => {
  const samples: Sample[] = [
    { labels: {}, value: 1.5 },
    { labels: { path: 'C:\\new\n"x"', empty: '' }, value: Infinity },
    { suffix: '_sum', labels: { a: 'b' }, value: NaN },
  ]
  expect(metricsText([{ name: 'm_total', help: 'One \\ line\nor two "quoted"', type: 'counter', samples }])).toBe(
    [
      '# HELP m_total One \\\\ line\\nor two "quoted"',
      '# TYPE m_total counter',
      'm_total 1.5',
      'm_total{path="C:\\\\new\\n\\"x\\"",empty=""} +Inf',
      'm_total_sum{a="b"} NaN',
      '',
    ].join('\n'),
  )
})

it('keeps any label value on one line that can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const text = metricsText([{ name: 'm', help: '', type: 'gauge', samples: [{ labels: { l: value }, value: 0 }] }])
      const lines = text.split('\n')
      expect(lines).toHaveLength(4)
      const quoted = /^m\{l="((?:[^"\\]|\\["\\n])*)"\} 0$/s.exec(lines[2]!)![1]!
      expect(quoted.replace(/\\(.)/g, (_match, escaped: string) => (escaped === 'n' ? '\n' : escaped))).toBe(value)
    }),
  )
})

it('counts buckets upwards, bounds included', () => {
  const histogram = createHistogram('h', 'help', [1, 2])
  for (const value of [0.5, 1, 1.5, 2, 9]) histogram.observe({ r: 'x' }, value)
  expect(histogram.family().samples).toEqual([
    { suffix: '_bucket', labels: { r: 'x', le: '1' }, value: 2 },
    { suffix: '_bucket', labels: { r: 'x', le: '2' }, value: 4 },
    { suffix: '_bucket', labels: { r: 'x', le: '+Inf' }, value: 5 },
    { suffix: '_sum', labels: { r: 'x' }, value: 14 },
    { suffix: '_count', labels: { r: 'x' }, value: 5 },
  ])
})

it('measures requests by route pattern and status, and shows the usage', async () => {
  const app = testServer()
  const families = measureRequests(app)
  app.get('/things/:id', async () => 'in')
  app.get('/broken', async () => {
    throw new Error('broken')
  })
  registerMetricsRoute(app, families, {
    version: '1.2.3',
    usage: () => ({ model_calls: { embed: 2 }, alias_calls: { 'vanilla-rag': 1 } }),
  })
  for (const url of ['/things/1', '/things/2', '/broken', '/nowhere/1', '/nowhere/2']) await app.inject({ url })
  const { headers, body } = await app.inject({ url: '/metrics' })
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = body.split('\n')
  expect(lines.filter((line) => /^rag_ladder_(http_requests|model|alias|build)/.test(line))).toEqual([
    'rag_ladder_http_requests_total{method="GET",route="/things/:id",status="200"} 2',
    'rag_ladder_http_requests_total{method="GET",route="/broken",status="500"} 1',
    'rag_ladder_http_requests_total{method="GET",route="unmatched",status="404"} 2',
    'rag_ladder_model_calls_total{role="embed"} 2',
    'rag_ladder_alias_calls_total{alias="vanilla-rag"} 1',
    'rag_ladder_build_info{version="1.2.3"} 1',
  ])
  expect(body).toContain('rag_ladder_http_request_duration_seconds_count{method="GET",route="/things/:id"} 2\n')
  expect(body.endsWith('\n')).toBe(true)
})
