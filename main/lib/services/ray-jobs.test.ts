import { expect, it, onTestFinished } from 'vitest'
import { startFakeRay, type FakeRay } from '../../../tests/helpers/fake-ray.ts'
import { rayJobLog, rayJobsOf, stopRayJob, submitRayJob } from './ray-jobs.ts'

const RUN = { runId: 'shared', database: 'postgres://db:5432/ladder' }
const JOB = { workers: 3, entrypoint: 'python ray-workers.py' }

async function fakeRay(token: string | null = null): Promise<FakeRay> {
  const fake = await startFakeRay({ token })
  onTestFinished(() => fake.close())
  return fake
}

it('submits a job with the names of its run, and finds it again by them, the latest first', async () => {
  const fake = await fakeRay('token-of-the-cluster')
  const cluster = { url: `${fake.url}/`, token: 'token-of-the-cluster' }
  const first = await submitRayJob(cluster, RUN, JOB, new Date('2026-11-25T10:00:00.000Z'))
  const second = await submitRayJob(cluster, RUN, JOB, new Date('2026-11-25T10:00:01.000Z'))
  await submitRayJob(cluster, { ...RUN, runId: 'another' }, JOB)
  await submitRayJob(cluster, { ...RUN, database: 'postgres://db:5432/other' }, JOB, new Date(0))
  expect(fake.submitted.get(first)).toEqual({
    submission_id: 'rag-ladder-shared-20261125100000000',
    entrypoint: JOB.entrypoint,
    metadata: { rag_ladder_run: 'shared', rag_ladder_database: RUN.database, rag_ladder_workers: '3' },
  })
  fake.settle(
    first,
    'FAILED',
    'Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):\nworker 1 failed',
  )
  expect(await stopRayJob(cluster, second)).toBe(true)
  expect(await stopRayJob(cluster, second)).toBe(false)
  expect(await rayJobsOf(cluster, RUN)).toEqual([
    {
      submissionId: second,
      status: 'STOPPED',
      message: 'Job was intentionally stopped.',
      workers: 3,
      startedAt: new Date(1_795_000_000_001),
      endedAt: null,
    },
    {
      submissionId: first,
      status: 'FAILED',
      message: 'Job entrypoint command failed with exit code 1',
      workers: 3,
      startedAt: new Date(1_795_000_000_000),
      endedAt: new Date(1_795_000_100_000),
    },
  ])
  fake.log = 'one\ntwo\n'
  expect(await rayJobLog(cluster, first)).toBe('one\ntwo\n')
})

it('a refused token, a stack trace and an address of something else have a message that names what to do', async () => {
  const fake = await fakeRay('token-of-the-cluster')
  const cluster = { url: fake.url, token: 'token-of-the-cluster' }
  const now = new Date()
  await submitRayJob(cluster, RUN, JOB, now)
  await expect(submitRayJob(cluster, RUN, JOB, now)).rejects.toMatchObject({
    code: 'ray_refused',
    message: expect.stringMatching(/HTTP 500: ValueError: Job with submission_id \S+ already exists\.$/) as string,
  })
  await expect(rayJobsOf({ ...cluster, token: 'another' }, RUN)).rejects.toThrow('set RAY_AUTH_TOKEN')
  await expect(rayJobsOf({ ...cluster, url: `${fake.url}/no/such/path` }, RUN)).rejects.toMatchObject({
    code: 'ray_refused',
  })
  await fake.close()
  await expect(rayJobsOf(cluster, RUN)).rejects.toMatchObject({
    code: 'ray_unreachable',
    message: expect.stringContaining('ECONNREFUSED') as string,
  })
})
