import { compareTables } from './compare-pairs.ts'
import { flipRates, lengthCorrelation, positionEffect } from './judge-bias.ts'
import { cohenKappa } from './kappa.ts'
import { krippendorffAlpha } from './krippendorff.ts'

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

/** What the thread sends back, once. Anything but a `StatisticsError` ends the thread instead. */
export type TaskReply = { ok: true; result: unknown } | { ok: false; message: string }
