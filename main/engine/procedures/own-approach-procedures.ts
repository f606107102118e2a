import type { OwnApproachView } from '../../../contract/control/own-approaches.ts'
import { oneAfterAnother } from '../../lib/one-after-another.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import {
  allowOwnApproach,
  ownApproachOf,
  ownApproachViews,
  refuseTakenName,
  removeOwnApproach,
  storeOwnApproach,
} from '../../manifests/project/own-approach-store.ts'
import { ownApproachRefusals } from '../../manifests/project/own-approaches.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import type { EngineParts } from '../engine-parts.ts'
import { control } from './control-api.ts'
import { refuseUnderRun } from './project-procedures.ts'

/** Own approaches of the project: only what a person wrote here or has allowed is ever run or called. */
export function ownApproachProcedures(parts: EngineParts) {
  const { root } = parts.config
  const inTurn = oneAfterAnother()
  const views = async (): Promise<OwnApproachView[]> => ownApproachViews(await parts.experiment.current())
  const change = (work: (experiment: Experiment) => unknown): Promise<OwnApproachView[]> =>
    inTurn(async () => {
      refuseUnderRun(parts, 'approaches do not change under it')
      await work(await parts.experiment.current())
      return views()
    })
  return {
    list: control.approaches.list.handler(views),
    save: control.approaches.save.handler(({ input: { name, approach } }) =>
      change((experiment) => {
        refuseTakenName(experiment, name)
        return storeOwnApproach(root, name, approach)
      }),
    ),
    allow: control.approaches.allow.handler(({ input: { name, digest } }) =>
      change(() => allowOwnApproach(root, name, digest)),
    ),
    remove: control.approaches.remove.handler(({ input: { name } }) => change(() => removeOwnApproach(root, name))),
    test: control.approaches.test.handler(async ({ input: { target, question } }) => {
      // The HTTP client of own approaches is loaded by the first test.
      const { tryOwnApproach } = await import('../../../core/own-approaches/try-approach.ts')
      if ('approach' in target)
        return tryOwnApproach(root, ownApproachOf('draft', target.approach), question, process.env)
      const experiment = await parts.experiment.current()
      const file = experiment.ownApproaches.usable.find(({ name }) => name === target.name)
      if (file === undefined) throw new InputError([`name: no own approach that can be used is named ${target.name}`])
      const refusals = ownApproachRefusals(experiment, [experiment.aliases.get(target.name)!], null)
      if (refusals.length > 0) throw new InputError(refusals)
      return tryOwnApproach(root, file, question, process.env)
    }),
  }
}
