import { expect, it } from 'vitest'
import { problemsOf, runWith } from '../faults/faulty-run.ts'
import { MODEL_FAULTS } from '../faults/model-faults.ts'

it.each(Object.entries(MODEL_FAULTS))(
  'a ladder with a service of models that misbehaves does what the table of faults declares: %s',
  async (_name, fault) => {
    expect(problemsOf(fault, await runWith(fault))).toEqual([])
  },
)
