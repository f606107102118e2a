import { expect, it } from 'vitest'
import { procedureNames } from '../helpers/recorded-client.ts'
import { answered } from './engine-procedures/setup.ts'
import './engine-procedures/matrix.ts'
import './engine-procedures/models.ts'
import './engine-procedures/judging.ts'
import './engine-procedures/runs.ts'
import './engine-procedures/datasets.ts'
import './engine-procedures/services.ts'

// One engine and its runs serve all parts, in this order.

const ELSEWHERE = [
  'settings.allowConnection',
  'system.endSessions',
  'experiment.plan',
  'runs.pause',
  'runs.resume',
  'runs.cancel',
  'runs.recover',
  'runs.rescore',
  'judges.judgeRun',
  'runs.interrupted',
  'runs.dismiss',
  // By own-approaches-panel.test.ts, with services and programs.
  'approaches.list',
  'approaches.save',
  'approaches.test',
  'approaches.allow',
  'approaches.remove',
  // By tune-panel.test.ts, with a dataset that has enough questions.
  'tunings.plan',
  'tunings.start',
  'tunings.resume',
  'tunings.stop',
  'tunings.list',
  'tunings.get',
  'tunings.saveFlavor',
  // By the page spec `workers`, with a cluster.
  'workers.jobLog',
  'workers.cancelJob',
]

it('has called every procedure of the contract', () => {
  const missing = procedureNames().filter((name) => !answered.has(name))
  expect(missing.filter((name) => !ELSEWHERE.includes(name))).toEqual(['system.browserLink'])
  expect(procedureNames()).toEqual(expect.arrayContaining(ELSEWHERE))
})
