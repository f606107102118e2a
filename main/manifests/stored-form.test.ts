import { describe, expect, it } from 'vitest'
import type { Reproducibility } from '../../contract/evidence/provenance.ts'
import type { EvaluationManifest, JudgePanelSettings } from '../../contract/manifests/evaluation.ts'
import { sampleReproducibility } from '../../tests/helpers/evidence-rows.ts'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { differences } from '../evidence/rows/row-identity.ts'
import { loadExperiment } from './experiment.ts'
import { hashOf } from './load-manifest.ts'
import { evaluationHash, inStoredForm } from './stored-form.ts'

const { evaluation } = await loadExperiment(PROJECT_ROOT)
const withJudges = (judges: Partial<JudgePanelSettings>): EvaluationManifest => ({
  ...evaluation,
  metrics: { ...evaluation.metrics, judge_panel: { ...evaluation.metrics.judge_panel, ...judges } },
})
const JUDGES = { enabled: true, models: ['judge-a', 'judge-b'], rotations: 7, thinking: null }

/** Conditions as a runner that hashed the judge settings too wrote them. */
function oldForm(manifest: EvaluationManifest): Reproducibility {
  const { concurrency: _concurrency, ...run } = manifest.run
  const { enabled, endpoint, models } = manifest.metrics.judge_panel
  return conditions(hashOf({ ...manifest, run }), { enabled, endpoint, models })
}

const newForm = (manifest: EvaluationManifest): Reproducibility => {
  const { enabled, endpoint, models } = manifest.metrics.judge_panel
  return conditions(evaluationHash(manifest), { enabled, endpoint, models })
}

function conditions(hash: string, judges: Reproducibility['runtime']['judge_panel']): Reproducibility {
  const sample = sampleReproducibility()
  return {
    ...sample,
    config_hashes: { ...sample.config_hashes, evaluation: hash },
    runtime: { ...sample.runtime, judge_panel: judges },
  }
}

it('evaluationHash is the same for other judges and differs for other metrics', () => {
  expect(evaluationHash(withJudges(JUDGES))).toBe(evaluationHash(evaluation))
  const fewer = { ...evaluation, metrics: { ...evaluation.metrics, ragas: [] } }
  expect(evaluationHash(fewer)).not.toBe(evaluationHash(evaluation))
})

describe('inStoredForm', () => {
  it('equals the stored conditions when only the judges differ', () => {
    const stored = newForm(evaluation)
    expect(inStoredForm(newForm(withJudges(JUDGES)), stored, withJudges(JUDGES))).toEqual(stored)
  })

  it('recognizes the hash of rows that were stored with their judge settings, whichever judges are named now', () => {
    for (const judges of [{}, JUDGES, { ...JUDGES, reference: true, thinking: true }]) {
      const stored = oldForm(withJudges(judges))
      for (const now of [evaluation, withJudges(JUDGES), withJudges({ enabled: true, models: ['c', 'd'] })])
        expect(inStoredForm(newForm(now), stored, now)).toEqual(stored)
    }
  })

  it('goes on with the context budget of the stored run unless another is asked for', () => {
    const withBudget = (form: Reproducibility, budget: number | undefined): Reproducibility => ({
      ...form,
      runtime: { ...form.runtime, ...(budget === undefined ? {} : { context_budget: budget }) },
    })
    const asking = (budget: 'none' | number): EvaluationManifest => ({
      ...evaluation,
      run: { ...evaluation.run, context_budget: budget },
    })
    const without = newForm(evaluation)
    const at1000 = withBudget(without, 1000)
    expect(evaluationHash(asking(1000))).toBe(evaluationHash(evaluation))
    expect(inStoredForm(withBudget(without, 2000), without, evaluation)).toEqual(without)
    expect(inStoredForm(withBudget(without, 2000), at1000, evaluation)).toEqual(at1000)
    const [other] = differences(at1000, inStoredForm(withBudget(without, 2000), at1000, asking(2000)))
    expect(other).toEqual({ path: 'runtime.context_budget', stored: '1000', current: '2000' })
    const [none] = differences(at1000, inStoredForm(without, at1000, asking('none')))
    expect(none).toEqual({ path: 'runtime.context_budget', stored: '1000', current: '(absent)' })
  })

  it('takes what stored rows do not record as no difference, and every part that they name as one', () => {
    const now = newForm(evaluation)
    const { runtime } = now
    const filled: Reproducibility = {
      ...now,
      runtime: {
        ...runtime,
        base_port: 443,
        platform: { version: runtime.platform.version, revision: 'a'.repeat(40) },
        providers: { converter: 'embedded', evaluator: 'platform', platform: 'embedded' },
        repository: { revision: 'b'.repeat(40), dirty: null, patch_sha256: null },
      },
    }
    const old: Reproducibility = {
      ...now,
      runtime: {
        ...runtime,
        base_port: null,
        platform: { ...runtime.platform, revision: null },
        providers: {},
        repository: { revision: null, dirty: false, patch_sha256: null },
      },
    }
    expect(inStoredForm(filled, old, evaluation)).toEqual(old)
    const other = { ...filled.runtime, providers: { ...filled.runtime.providers, evaluator: 'http://127.0.0.1:1' } }
    expect(inStoredForm({ ...filled, runtime: other }, filled, evaluation)).not.toEqual(filled)
  })

  it('differs from rows stored with their judge settings when another evaluation setting differs', () => {
    const stored = oldForm(withJudges(JUDGES))
    const now = { ...withJudges(JUDGES), run: { ...evaluation.run, retries: evaluation.run.retries + 1 } }
    const found = inStoredForm(newForm(now), stored, now)
    expect(found).not.toEqual(stored)
    expect(found.config_hashes['evaluation']).toBe(evaluationHash(now))
  })
})
