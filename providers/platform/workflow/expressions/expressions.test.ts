import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileTemplate } from './evaluate.ts'
import { ExpressionError } from './tokens.ts'

const scope = {
  json: { name: 'Ann', list: [{ id: 7 }], none: null, deep: { 'odd key': 'x' } },
  env: { HOST: 'http://h' },
  nodeJson: (node: string) => (node === 'Webhook' ? { body: { query: 'Who?' } } : undefined),
}
const value = (parameter: unknown): unknown => compileTemplate(parameter)(scope)
const expression = (source: string): unknown => value(`={{ ${source} }}`)

describe('parameters', () => {
  it('are literal without a leading =', () => {
    expect(value('{{ $json.name }}')).toBe('{{ $json.name }}')
    expect(value(4)).toBe(4)
  })

  it('keep the type of a single expression and are text otherwise', () => {
    expect(value('={{ $json.list }}')).toEqual([{ id: 7 }])
    expect(value('={{ $env.HOST }}/v1 for {{ $json.name }}, {{ $json.list[0].id }}')).toBe('http://h/v1 for Ann, 7')
    expect(value('=plain')).toBe('plain')
  })
})

describe('expressions', () => {
  it.each([
    ["$('Webhook').item.json.body.query", 'Who?'],
    ["$json.deep['odd key']", 'x'],
    ["$json.missing ?? 'else'", 'else'],
    ["'a' + $json.name + 1", 'aAnn1'],
    ["'it\\'s\\n\\u00e9'", "it's\né"],
    ["'Ann'.replaceAll('n', 'm')", 'Amm'],
    ["JSON.stringify({ a: true, b: null, c: { 'b c': $json.name }, })", '{"a":true,"b":null,"c":{"b c":"Ann"}}'],
  ])('%s', (source, expected) => {
    expect(expression(source)).toEqual(expected)
  })

  it.each([
    "$json.constructor.constructor('return 1')()",
    "$json['__proto__'].polluted.x",
    '$json.name.constructor.name.x',
    'process.env',
    'globalThis',
    "$json.name.padEnd(1e9, 'x')",
    "''.replaceAll('', 'x')",
    "$('Nowhere').item.json",
    '$json.missing.further',
    "'a' + $json.list",
    'JSON.parse($json.name)',
    '$json.name()',
    '$json.name.trim()',
    "$('Webhook').first()",
  ])('refuses to evaluate %s', (source) => {
    expect(() => expression(source)).toThrow(ExpressionError)
  })

  it.each([
    '$json.name ?',
    '1 +',
    '{a: 1',
    '`t`',
    'a => a',
    'new Date()',
    'x = 1',
    "'open",
    '(('.repeat(40),
    '$json[$json.name]',
    '$json.none?.further',
    '[1, 2]',
    '($json.name)',
  ])('refuses to read %s at import', (source) => {
    expect(() => compileTemplate(`={{ ${source} }}`)).toThrow(ExpressionError)
  })

  it('reports when braces are not closed, and ends at the first closing pair as n8n does', () => {
    expect(() => compileTemplate('=a {{ $json.name')).toThrow("'{{' without '}}'")
    expect(() => compileTemplate('={{ JSON.stringify({a:{b:1}}) }}')).toThrow(ExpressionError)
  })

  it('reach nothing but the data they are given, whatever they contain', () => {
    const word = fc.constantFrom(
      '$json',
      '$env',
      '$',
      'JSON',
      'constructor',
      'prototype',
      '__proto__',
      'name',
      'stringify',
      '.',
      '[',
      ']',
      '(',
      ')',
      "'x'",
      '"constructor"',
      '+',
      '??',
      '{',
      '}',
      ':',
      ',',
      '0',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        let result: unknown
        try {
          result = value(`={{ ${words.join('')} }}`)
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError)
        }
        expect(typeof result).not.toBe('function')
      }),
      { numRuns: 2000 },
    )
  })
})
