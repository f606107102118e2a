import { describe, expect, it } from 'vitest'
import { listedVulnerabilities, readAudit, vulnerabilitiesOfList } from './vulnerabilities.ts'

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

describe('the list for a registry without advisories', () => {
  const advisory = { package: 'sample', below: '2.10.0', advisory: 'CVE-1', what: 'it reads too much' }
  const versions = (...found: string[]) => ({
    packages: Object.fromEntries(
      found.map((version, index) => [`node_modules/a${index}/node_modules/sample`, { version }]),
    ),
  })

  it('names versions below the repaired one, compared by number', () => {
    expect(listedVulnerabilities(versions('2.9.1', '2.10.0', '2.11.0', '1.99.0-beta.1'), [advisory])).toEqual([
      'node_modules/a0/node_modules/sample 2.9.1: it reads too much (CVE-1): update it to 2.10.0 or later',
      'node_modules/a3/node_modules/sample 1.99.0-beta.1: it reads too much (CVE-1): update it to 2.10.0 or later',
    ])
  })

  it('leaves out versions before the first that has it, other packages and those of development', () => {
    const from = { ...advisory, from: '2.0.0' }
    expect(listedVulnerabilities(versions('1.9.9', '2.0.0'), [from])).toHaveLength(1)
    const others = {
      'node_modules/sample': { version: '2.0.0', dev: true },
      'node_modules/@scope/sample': { version: '2.0.0' },
    }
    expect(listedVulnerabilities({ packages: others }, [from])).toEqual([])
  })

  it('names nothing in the lock file of this checkout', () => {
    expect(vulnerabilitiesOfList()).toEqual({
      problems: [],
      note: expect.stringMatching(/^none of the \d+ advisories/),
    })
  })
})
