import { expect, it } from 'vitest'
import { findOnPath } from '../../build/e2e/find-program.ts'
import { soak } from '../soak/soak.ts'

// The budgets of time and of memory need minutes and a quiet machine: `npm run prove:soak`.
it.skipIf(process.platform !== 'linux')(
  'services that are asked, changed, ingested, converted with, spoken with and browsed restart never and keep no handle',
  async () => {
    const { done, restarts, figures } = await soak(1 / 3)
    const heard = findOnPath(['pocketsphinx_continuous']) === null ? [] : ['transcripts']
    const kinds = ['conversions', 'ingestions', 'pages', 'questions', ...heard, 'utterances']
    expect(Object.keys(done).sort()).toEqual(kinds)
    expect(restarts).toBe(0)
    const handles = figures.filter(({ what }) => what.endsWith('handles gained'))
    const measured = handles.map(({ what }) => what.split(':')[0])
    expect(measured.filter((name) => name !== 'stt')).toEqual(['engine', 'platform', 'converter', 'tts'])
    if (heard.length > 0) expect(measured).toContain('stt')
    expect(handles.filter(({ value, budget }) => value > budget!)).toEqual([])
  },
  120_000,
)
