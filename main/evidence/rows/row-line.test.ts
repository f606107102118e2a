import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { decodeLine, sealOf, sealRow, unwritable } from './row-line.ts'

function lineOf(row: CanonicalRow): Buffer {
  const sealed = sealRow(row)
  if (!sealed.ok) throw new Error(sealed.problem)
  return sealed.line
}

describe('sealRow and decodeLine', () => {
  it('give back any answer as it was, NUL and lone surrogates included', () => {
    const anyText = fc.string({
      unit: fc.oneof(fc.constantFrom('\0', '\ud800', '\udc00', '\n', '"', '\\', '\u2028'), fc.string()),
    })
    fc.assert(
      fc.property(anyText, fc.jsonValue(), (answer, extra) => {
        const text = JSON.stringify(extra)
        fc.pre(!text.includes('__proto__'))
        const row = sampleRow({ answer })
        row.approach.parameters = { extra: JSON.parse(text) as never }
        const line = lineOf(row)
        expect(line.indexOf(10)).toBe(line.length - 1)
        expect(decodeLine(line.subarray(0, -1), 'quick')).toEqual({ ok: true, row })
        expect(decodeLine(line.subarray(0, -1), 'full')).toEqual({ ok: true, row })
      }),
      { numRuns: 60 },
    )
  })

  it('leave out a field called __proto__, alike in the row and in its line', () => {
    const row = sampleRow({ answer: '{"__proto__":1}' })
    row.approach.parameters = { extra: JSON.parse('{"kept":{"__proto__":{"polluted":true},"also":1}}') as never }
    const sealed = sealRow(row)
    const kept = { ...row, approach: { ...row.approach, parameters: { extra: { kept: { also: 1 } } } } }
    expect(sealed).toMatchObject({ ok: true, row: kept })
    for (const depth of ['quick', 'full'] as const)
      expect(decodeLine(lineOf(row).subarray(0, -1), depth)).toEqual({ ok: true, row: kept })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('notice every changed byte of a line', () => {
    const line = lineOf(sampleRow({ answer: 'Vier Meter – 4 m, näher am Tor.' })).subarray(0, -1)
    for (let at = 0; at < line.length; at += 1)
      for (const bit of [0x01, 0x20, 0x80]) {
        const changed = Buffer.from(line)
        changed[at]! ^= bit
        expect(decodeLine(changed, 'quick').ok, `byte ${at} of ${line.toString()}`).toBe(false)
      }
  })

  it('check a line that a checkout ended with a carriage return as it was before', () => {
    const line = Buffer.concat([lineOf(sampleRow()).subarray(0, -1), Buffer.from('\r')])
    expect(sealOf(line)).toBe('intact')
    expect(decodeLine(line, 'quick')).toEqual({ ok: true, row: sampleRow() })
    const changed = Buffer.from(line.toString().replace('four metres', 'nine metres'))
    expect(sealOf(changed)).toBe('broken')
    for (const depth of ['quick', 'full'] as const) expect(decodeLine(changed, depth).ok).toBe(false)
  })

  it('refuse a checksum that is not at the end, where it would cover nothing', () => {
    const line = lineOf(sampleRow()).toString().trimEnd().replace('four metres', 'nine metres')
    for (const hidden of [`${line} `, line.replace(/"}$/, '" }'), line.replace(/}$/, ',"error":null}')])
      expect(decodeLine(Buffer.from(hidden), 'quick')).toMatchObject({
        ok: false,
        problem: expect.stringContaining('its checksum is not at the end') as string,
      })
  })

  it('read a row without a checksum after checking it in full', () => {
    const row = sampleRow()
    const plain = Buffer.from(JSON.stringify(row))
    expect(sealOf(plain)).toBe('absent')
    expect(decodeLine(plain, 'quick')).toEqual({ ok: true, row })
    const wrong = Buffer.from(JSON.stringify({ ...row, status: 'fine' }))
    expect(decodeLine(wrong, 'quick')).toMatchObject({ ok: false, problem: expect.stringContaining('status') })
  })

  it.each(['0.2.0', '0.10.0', '1.0.0', '0.2.0-dev'])('refuse a row of version %s without its checksum', (version) => {
    const { reproducibility, ...row } = sampleRow()
    const { runtime } = reproducibility
    const changed = {
      ...row,
      reproducibility: { ...reproducibility, runtime: { ...runtime, platform: { version, revision: null } } },
    }
    for (const depth of ['quick', 'full'] as const)
      expect(decodeLine(Buffer.from(JSON.stringify(changed)), depth)).toMatchObject({
        ok: false,
        problem: expect.stringContaining('its checksum is missing') as string,
      })
  })

  it.each([
    ['an unknown field', (row: CanonicalRow) => ({ ...row, note: 'x' }), 'note: unknown field'],
    ['a wrong row id', (row: CanonicalRow) => ({ ...row, row_id: 'a'.repeat(64) }), 'row_id'],
    ['another version', (row: CanonicalRow) => ({ ...row, schema_version: 2 }), 'schema_version'],
    ['no JSON', () => 'hello', 'a map of fields is required'],
  ])('refuse %s', (_, change, problem) => {
    const line = Buffer.from(JSON.stringify(change(sampleRow())))
    expect(decodeLine(line, 'quick')).toMatchObject({ ok: false, problem: expect.stringContaining(problem) })
  })

  it.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a date', new Date(0)],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['a hole', [undefined]],
  ])('never write %s, not even in an open-ended field', (_, value) => {
    const row = sampleRow()
    Object.assign(row.evidence!.sources[0]!, { plugin_detail: { deep: value } })
    expect(sealRow(row)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('evidence.sources[0].plugin_detail'),
    })
    const latency = sampleRow()
    latency.metrics.operational.latency_ms = value as number
    expect(sealRow(latency)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('metrics.operational.latency_ms'),
    })
  })

  it('leave out members that are undefined, as JSON does', () => {
    expect(unwritable({ a: undefined, b: [1, { c: null }] })).toBeNull()
  })
})
