import { expect, it } from 'vitest'
import type { RunWorker } from '../../evidence/postgres/database-workers.ts'
import { workerLines } from './worker.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const before = (seconds: number): Date => new Date(NOW - seconds * 1000)
const worker = (more: Partial<RunWorker>): RunWorker => ({
  name: 'anna',
  host: 'node1',
  pid: 7,
  startedAt: before(600),
  lastSeenAt: null,
  endedAt: null,
  inHand: 0,
  claims: [],
  stored: 12,
  ...more,
})

it('worker --list tells workers that work, wait, have ended and are lost apart', () => {
  const workers = [
    worker({ inHand: 2, lastSeenAt: before(3) }),
    worker({ lastSeenAt: before(20) }),
    worker({ endedAt: before(200) }),
    worker({}),
  ]
  expect(workerLines('smoke', workers, NOW)).toEqual([
    'smoke: anna (node1, process 7): 12 stored, 2 in hand, working, seen 3.0 s ago',
    'smoke: anna (node1, process 7): 12 stored, 0 in hand, idle, seen 20.0 s ago',
    'smoke: anna (node1, process 7): 12 stored, 0 in hand, ended 3 min 20 s ago',
    'smoke: anna (node1, process 7): 12 stored, 0 in hand, lost: its connection ended before it left the run',
  ])
  expect(workerLines('smoke', [], NOW)).toEqual(['smoke: no process works on this run'])
})
