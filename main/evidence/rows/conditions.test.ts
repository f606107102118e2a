import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { BaseApproach } from '../../../contract/approaches.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import { openLog, store, temporaryLogFile } from '../../../tests/helpers/evidence-files.ts'
import {
  failedRow,
  identityOf,
  sampleIdentity,
  sampleReproducibility,
  sampleRow,
  sealedLine,
} from '../../../tests/helpers/evidence-rows.ts'
import { verifyEvidence } from '../verify-evidence.ts'
import { commonConflicts, conflictsWith, isOutdatedFailure, SharedConditions } from './conditions.ts'

type Limits = Partial<Record<'light_gen' | 'agentic' | 'graph_extract' | 'contextual_blurb' | 'evaluator', number>>

/** The conditions of a run whose models have these limits of tokens. */
function conditions(limits: Limits = {}, job = 'job-1', backend = 'openai'): Reproducibility {
  const { ingestion, runtime, ...rest } = sampleReproducibility()
  const { models: _models, ...hashes } = rest.config_hashes
  const all = { light_gen: 64, agentic: 64, graph_extract: 64, contextual_blurb: 64, evaluator: 64, ...limits }
  const roles = Object.entries(all).map(([role, max_tokens]) => [
    role,
    { backend, model: 'm', settings: { defaults: { max_tokens } } },
  ])
  const models = { set: 'own', roles: Object.fromEntries(roles) as never }
  return {
    ...rest,
    config_hashes: hashes,
    ingestion: { ...ingestion!, job_id: job },
    runtime: { ...runtime, models },
  }
}

interface Cell {
  base?: BaseApproach
  question?: string
  retry?: number
}
const of = (row: CanonicalRow, base: BaseApproach): CanonicalRow => ({
  ...row,
  approach: { ...row.approach, base_model: base },
})
const answered = (reproducibility: Reproducibility, { base = 'vanilla-rag', ...cell }: Cell = {}) =>
  of(sampleRow({ model: base, reproducibility, ...cell }), base)
const failed = (reproducibility: Reproducibility, { base = 'vanilla-rag', ...cell }: Cell = {}) =>
  of(failedRow({ model: base, reproducibility, ...cell }), base)
const limitOf = (role: string) => `reproducibility.runtime.models.roles.${role}.settings.defaults.max_tokens`
const pathsOf = (row: CanonicalRow, now: Reproducibility) => [...conflictsWith(row, now)].map(({ path }) => path)

describe('a changed setting of a model', () => {
  const now = conditions({ light_gen: 900, agentic: 900, graph_extract: 900, contextual_blurb: 900 })

  it('conflicts with the answers that the model had a part in, and with no other', () => {
    expect(pathsOf(answered(conditions()), now)).toEqual([limitOf('light_gen')])
    expect(pathsOf(answered(conditions(), { base: 'contextual-rag' }), now)).toEqual([
      limitOf('contextual_blurb'),
      limitOf('light_gen'),
    ])
    expect(pathsOf(answered(conditions(), { base: 'agentic-rag' }), now)).toEqual([
      limitOf('agentic'),
      limitOf('graph_extract'),
      limitOf('light_gen'),
    ])
    expect(pathsOf(failed(conditions(), { base: 'agentic-rag' }), now)).toEqual([])
  })

  it('of which one side records no digest of a value conflicts with nothing, and another digest does', () => {
    const withDigest = (digest?: string) => {
      const found = conditions()
      const { settings } = found.runtime.models!.roles['light_gen']!
      if (digest !== undefined) settings!['resolved_digest'] = digest
      return found
    }
    expect(pathsOf(answered(withDigest()), withDigest('a'))).toEqual([])
    expect(pathsOf(answered(withDigest('a')), withDigest())).toEqual([])
    expect(pathsOf(answered(withDigest('a')), withDigest('b'))).toEqual([
      'reproducibility.runtime.models.roles.light_gen.settings.resolved_digest',
    ])
    expect([...commonConflicts(withDigest('a'), withDigest())]).toEqual([])
    expect(isOutdatedFailure(failed(withDigest()), withDigest('a'))).toBe(false)
    expect(isOutdatedFailure(failed(withDigest('a')), withDigest('b'))).toBe(true)
  })

  it('conflicts with every answer of an approach whose calls are unknown', () => {
    expect(pathsOf(answered(conditions(), { base: 'own-approach' }), conditions({ agentic: 1 }))).toEqual([
      limitOf('agentic'),
    ])
    const later = { ...answered(conditions()), approach: { ...answered(conditions()).approach, base_model: 'later' } }
    expect(pathsOf(later as CanonicalRow, conditions({ graph_extract: 1 }))).toEqual([limitOf('graph_extract')])
  })

  it('of the evaluator conflicts with the answers of a run that grades', () => {
    const graded = conditions()
    expect(pathsOf(answered(graded), conditions({ evaluator: 1 }))).toEqual([limitOf('evaluator')])
    graded.runtime.providers = { evaluator: 'disabled' }
    expect(pathsOf(answered(graded), conditions({ evaluator: 1 }))).not.toContain(limitOf('evaluator'))
  })

  it('outdates the failures of approaches that ask the model, and no other', () => {
    const agentic = conditions({ agentic: 900 })
    expect(isOutdatedFailure(failed(conditions(), { base: 'agentic-rag' }), agentic)).toBe(true)
    expect(isOutdatedFailure(failed(conditions()), agentic)).toBe(false)
    expect(isOutdatedFailure(failed(conditions()), conditions({}, 'job-2'))).toBe(false)
    expect(isOutdatedFailure(failed(conditions()), conditions({ evaluator: 900 }))).toBe(false)
  })
})

describe('a changed address or path of a model that ingestion asks', () => {
  const at = (role: string, change: object, job = 'job-1') => {
    const made = conditions({}, job)
    const { roles } = made.runtime.models!
    roles['embed'] = { backend: 'openai', model: 'e', settings: { base_url: 'http://a' } }
    roles[role]!.settings = { ...roles[role]!.settings, ...change }
    return made
  }
  const addressOf = (role: string) => `reproducibility.runtime.models.roles.${role}.settings.base_url`
  const here = (role: string) => at(role, { base_url: 'http://a' })
  const there = (role: string) => at(role, { base_url: 'http://b' })

  it('conflicts with failed rows too, because its vectors, graph and contexts stay stored', () => {
    expect(pathsOf(failed(here('embed')), there('embed'))).toEqual([addressOf('embed')])
    for (const [role, base] of [
      ['graph_extract', 'graph-rag'],
      ['contextual_blurb', 'contextual-rag'],
    ] as const) {
      expect(pathsOf(failed(here(role), { base }), there(role))).toEqual([addressOf(role)])
      expect(pathsOf(failed(here(role)), there(role))).toEqual([])
    }
    expect(pathsOf(failed(here('light_gen')), there('light_gen'))).toEqual([])
    const path = at('embed', { path_sha256: 'b' })
    expect(pathsOf(failed(at('embed', { path_sha256: 'a' })), path)).toEqual([
      'reproducibility.runtime.models.roles.embed.settings.path_sha256',
    ])
  })

  it('conflicts with no failed row where the collections are made again, or none were made', () => {
    const other = there('embed')
    other.runtime.models!.roles['embed']!.model = 'other'
    expect(pathsOf(failed(here('embed')), other)).toEqual([])
    const without = { ...here('embed'), ingestion: null }
    expect(pathsOf(failed(without), { ...there('embed'), ingestion: null })).toEqual([])
  })

  it('is reported beside a failed row, in whatever order rows are read', () => {
    const rows = [failed(here('embed')), answered(there('embed'), { question: 'q2' })]
    for (const order of [rows, rows.toReversed()]) {
      const shared = new SharedConditions()
      expect(order.map((row) => shared.addAndCompare(row)?.path)).toEqual([undefined, addressOf('embed')])
    }
  })
})

describe('documents that were ingested again with equal content', () => {
  it('conflict with answers from texts that a language model wrote, and with no other', () => {
    const again = conditions({}, 'job-2')
    const job = 'reproducibility.ingestion.job_id'
    expect(pathsOf(answered(conditions()), again)).toEqual([])
    for (const base of ['graph-rag', 'contextual-rag', 'raptor-rag'] as const) {
      expect(pathsOf(answered(conditions(), { base }), again)).toEqual([job])
      expect(pathsOf(failed(conditions(), { base }), again)).toEqual([])
      const byRules = answered(conditions({}, 'job-1', 'builtin'), { base })
      expect(pathsOf(byRules, conditions({}, 'job-2', 'builtin'))).toEqual([])
    }
  })

  it('conflict where the content is another', () => {
    const other = conditions({}, 'job-2')
    other.ingestion!.content_digest = 'f'.repeat(64)
    expect(pathsOf(failed(conditions()), other)).toEqual(['reproducibility.ingestion.content_digest'])
  })
})

describe('the log of a run', () => {
  const identity = (reproducibility: Reproducibility) => ({ ...sampleIdentity(), reproducibility })

  it('goes on under a repaired setting after failures, and each row records its own setting', async () => {
    const file = await temporaryLogFile()
    const [before, now] = [conditions(), conditions({ agentic: 900 })]
    const first = await openLog(file, {}, identity(before))
    await store(first, answered(before))
    await store(first, failed(before, { base: 'agentic-rag' }))
    await first.close()
    const log = await openLog(file, {}, identity(now))
    const again = answered(now, { base: 'agentic-rag', retry: 1 })
    const kept = { ...identityOf(answered(before)), reproducibility: now }
    expect(await log.planResume([kept, identityOf(again)])).toMatchObject({
      reuse: [kept.row_id],
      run: [again.row_id],
      conflicts: [],
    })
    await store(log, again)
    await log.close()
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 3 })
  })

  it('refuses a setting that stored answers were not made with, and so does its plan', async () => {
    const file = await temporaryLogFile()
    const [before, now] = [conditions(), conditions({ light_gen: 900 })]
    const first = await openLog(file, {}, identity(before))
    await store(first, failed(before, { question: 'q1' }))
    await store(first, answered(before, { question: 'q2' }))
    await first.close()
    const log = await openLog(file, {}, null)
    expect(await log.setIdentity(() => identity(now))).toMatchObject({
      ok: false,
      conflicts: [{ path: limitOf('light_gen'), stored: '64', current: '900', rows: 1 }],
    })
    const cell = { ...identityOf(answered(before, { question: 'q2' })), reproducibility: now }
    expect(await log.planResume([cell])).toMatchObject({ conflicts: [{ path: limitOf('light_gen') }] })
  })

  it('refuses a setting that only an answer with a refused grading was written under, after a failure of the same approach', async () => {
    const file = await temporaryLogFile()
    const before = conditions()
    const first = await openLog(file, {}, identity(before))
    await store(first, failed(before, { question: 'q1' }))
    await store(first, { ...answered(before, { question: 'q2' }), grading_refused: true })
    await first.close()
    const log = await openLog(file, {}, null)
    expect(await log.setIdentity(() => identity(conditions({ light_gen: 900 })))).toMatchObject({
      ok: false,
      conflicts: [{ path: limitOf('light_gen'), rows: 1 }],
    })
  })

  it('refuses a setting while another process makes rows under the stored one', async () => {
    const file = await temporaryLogFile()
    await openLog(file, {}, identity(conditions()))
    const second = await openLog(file, {}, null)
    expect(await second.setIdentity(() => identity(conditions({ agentic: 900 })))).toMatchObject({ ok: false })
  })

  it('stores no row of other settings than those that its run has now', async () => {
    const log = await openLog(await temporaryLogFile(), {}, identity(conditions()))
    await expect(store(log, answered(conditions({ light_gen: 900 })))).rejects.toMatchObject({ code: 'other_identity' })
  })
})

describe('rows of two settings in one file', () => {
  const linesOf = async (...rows: CanonicalRow[]) => {
    const file = await temporaryLogFile()
    await writeFile(file, rows.map((row) => `${sealedLine(row).toString()}\n`).join(''))
    return verifyEvidence(file)
  }
  const [before, now] = [conditions(), conditions({ agentic: 900 })]

  it('are reported where both have answers of the model, in whatever order they are', async () => {
    const agentic = (reproducibility: Reproducibility, question: string) =>
      answered(reproducibility, { base: 'agentic-rag', question })
    for (const rows of [
      [agentic(before, 'q1'), answered(now), agentic(now, 'q2')],
      [answered(now), agentic(now, 'q2'), failed(before, { question: 'q3' }), agentic(before, 'q1')],
    ])
      expect(await linesOf(...rows)).toMatchObject({ ok: false, problems: [{ code: 'mixed_rows' }] })
  })

  it('share of each role the setting that the answers of that role were made with, also after an older answer was graded again', () => {
    const agentic = { ...answered(now, { base: 'agentic-rag' }), finished_at: '2026-01-02T00:00:00.000Z' }
    const evaluator = conditions({ evaluator: 900 })
    const regraded = { ...answered(evaluator, { retry: 1 }), finished_at: '2026-01-03T00:00:00.000Z' }
    const shared = new SharedConditions()
    expect(shared.addAndCompare({ ...agentic, grading_refused: true })).toBeNull()
    expect(shared.addAndCompare(regraded)).toBeNull()
    expect(shared.value).toEqual(conditions({ agentic: 900, evaluator: 900 }))
  })

  it('share the conditions of the row that was made last, whatever order they are read in', () => {
    const early = { ...answered(before), finished_at: '2026-01-01T00:00:00.000Z' }
    const late = { ...answered(now, { base: 'agentic-rag' }), finished_at: '2026-01-02T00:00:00.000Z' }
    for (const rows of [
      [early, late],
      [late, early],
    ]) {
      const shared = new SharedConditions()
      expect(rows.map((row) => shared.addAndCompare(row))).toEqual([null, null])
      expect(shared.value).toEqual(now)
    }
  })
})
