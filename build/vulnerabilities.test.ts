import { describe, expect, it } from 'vitest'
import { readAudit } from './vulnerabilities.ts'

describe('readAudit', () => {
  it('reports each vulnerable package with its advisory', () => {
    const via = [{ title: 'Prototype pollution', url: 'https://example.org/advisory' }, 'deep-package']
    const text = JSON.stringify({ vulnerabilities: { sample: { severity: 'high', range: '<2.0.0', via } } })
    expect(readAudit(text)).toEqual({
      known: true,
      problems: ['sample <2.0.0: high: Prototype pollution https://example.org/advisory; through deep-package'],
    })
  })

  it('reports no problem where the registry lists none', () => {
    expect(readAudit('{"vulnerabilities":{}}')).toEqual({ known: true, problems: [] })
  })

  it('does not take a registry without advisory data for a clean result', () => {
    expect(readAudit('{"message":"405 Method Not Allowed"}')).toEqual({
      known: false,
      reason: '405 Method Not Allowed',
    })
    expect(readAudit('')).toEqual({ known: false, reason: 'npm audit printed no JSON' })
  })
})
