import { compareTables } from '../compare-pairs.ts'
import { flipRates, lengthCorrelation, positionEffect } from '../agreement/judge-bias.ts'
import { cohenKappa } from '../agreement/kappa.ts'
import { krippendorffAlpha } from '../agreement/krippendorff.ts'

/** The computations that resample, by name: what a worker thread can be asked for. Arguments and results survive a structured clone. */
export const statisticsTasks = {
  compareTables,
  krippendorffAlpha,
  cohenKappa,
  positionEffect,
  flipRates,
  lengthCorrelation,
}

export type StatisticsTask = keyof typeof statisticsTasks
export type TaskArguments<Task extends StatisticsTask> = Parameters<(typeof statisticsTasks)[Task]>
export type TaskResult<Task extends StatisticsTask> = ReturnType<(typeof statisticsTasks)[Task]>

/** Asks a thread for one task. */
export interface TaskRequest {
  task: StatisticsTask
  args: unknown[]
}

/** Describes what the thread sends back for each. Anything but a `StatisticsError` ends the thread instead. */
export type TaskReply = { ok: true; result: unknown } | { ok: false; message: string }
