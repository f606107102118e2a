import { expect, it } from 'vitest'
import { problemsOf, runWith } from '../faults/faulty-run.ts'
import { MODEL_FAULTS } from '../faults/model-faults.ts'

/** One fault of each outcome, since a run takes three seconds of a processor: `node tests/faults/run-model-faults.ts` runs them all. */
const OF_EACH_OUTCOME = [
  ...Map.groupBy(Object.entries(MODEL_FAULTS), ([, { cells, says = [], action }]) =>
    [cells, ...says, action].join(' '),
  ).values(),
].map(([first]) => first!)

it.each(OF_EACH_OUTCOME)(
  'a ladder with a service of models that misbehaves does what the table of faults declares: %s',
  async (_name, fault) => {
    expect(problemsOf(fault, await runWith(fault))).toEqual([])
  },
)
