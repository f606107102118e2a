import { describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { sealedJson } from '../../lib/files/sealed-json.ts'
import { parseAggregate } from './stored-aggregate.ts'

const sealed = readFileSync(
  join(PROJECT_ROOT, 'docs/results/embedded-baseline-baseline_curated-evaluation.json'),
  'utf8',
)
const unsealed = sealed.replace(/,\n {2}"checksum": "[0-9a-f]{8}"\n\}/, '\n}')
/** The summary as another version of the program wrote it. */
const of = (version: string): string => unsealed.replace(/("platform": \{[^{}]*"version": ")[^"]+(")/, `$1${version}$2`)
const COMMAND = 'rag-ladder ladder --no-cold-reset --run-id embedded-baseline --dataset baseline_curated'

describe('a summary without its checksum', () => {
  it('is read as version 0.1.0 wrote it', () => {
    expect(parseAggregate(sealed).ok).toBe(true)
    expect(unsealed).not.toBe(sealed)
    for (const version of ['0.1.0', '0.1.9']) expect(parseAggregate(of(version))).toMatchObject({ ok: true })
  })

  it.each(['0.2.0', '0.10.0', '1.0.0', '0.2.0-dev'])(
    'is refused as version %s wrote it, which seals summaries',
    (version) => {
      const read = parseAggregate(of(version))
      expect(read).toMatchObject({
        ok: false,
        issues: [expect.stringContaining('its checksum is missing: it was changed after it was written')],
      })
      expect(parseAggregate(sealedJson(of(version))).ok).toBe(true)
    },
  )

  it('and one whose checksum does not hold name the command that makes them again', () => {
    for (const text of [of('0.2.0'), sealed.replace('"schema_version": 1', '"schema_version":  1')]) {
      const read = parseAggregate(text)
      expect(read).toMatchObject({ ok: false, issues: [expect.stringContaining(COMMAND)] })
    }
  })
})
