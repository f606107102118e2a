import { readLedger } from '../../runner/tuning/holdout-ledger.ts'
import { saveWinner } from '../../runner/tuning/save-winner.ts'
import { ControlFailure } from '../control-failure.ts'
import type { EngineParts } from '../engine-parts.ts'
import { editedIn, openingsOf, readResult, resultView } from '../tuning/stored-tunings.ts'
import { control } from './control-api.ts'
import { refuseUnderRun } from './project-procedures.ts'

export function tuningProcedures(parts: EngineParts) {
  const { tunings, experiment, config } = parts
  const notFound = (name: string): ControlFailure =>
    new ControlFailure('not_found', `there is no tuning ${name} in the results folder`)
  return {
    plan: control.tunings.plan.handler(({ input }) => tunings.plan(input)),
    start: control.tunings.start.handler(({ input }) => tunings.start(input)),
    resume: control.tunings.resume.handler(({ input }) => tunings.resume(input.name)),
    stop: control.tunings.stop.handler(({ input }) => tunings.stop(input.name)),
    list: control.tunings.list.handler(() => tunings.list()),
    get: control.tunings.get.handler(async ({ input: { name, map } }) => {
      const head = (await tunings.list()).find((each) => each.name === name)
      if (head === undefined) throw notFound(name)
      const result = head.state === 'done' ? await readResult(config.resultsDir, name) : null
      const [now, lines] = [await experiment.current(), await readLedger(config.root)]
      return {
        head,
        progress: tunings.linesOf(name),
        result: result === null ? null : resultView(result, now, map ?? null),
        openings: openingsOf(lines, head.dataset_id),
        edited: editedIn(
          lines,
          now.datasets.find(({ dataset }) => dataset.id === head.dataset_id),
        ),
      }
    }),
    saveFlavor: control.tunings.saveFlavor.handler(async ({ input: { name, flavor } }) => {
      refuseUnderRun(parts, 'flavors do not change under it')
      const result = await readResult(config.resultsDir, name)
      if (result === null) throw notFound(name)
      return saveWinner(await experiment.current(), result, flavor)
    }),
  }
}
