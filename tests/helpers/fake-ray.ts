import { createServer, type IncomingMessage } from 'node:http'
import { listenLocally } from './local-server.ts'

// The API for jobs of a Ray dashboard, as version 2.60.0 answers: no POST from a web page, errors as stack traces in plain text, the end of the
// log in the message of a failed job, and jobs that were not submitted among the others.

export interface FakeRay {
  url: string
  /** Holds what was posted, by submission id. */
  submitted: Map<string, Record<string, unknown>>
  /** Sets the state of a job. */
  settle(submissionId: string, status: string, message: string): void
  /** Holds what the log of every job is from now on. */
  log: string
  close(): Promise<void>
}

interface StoredJob {
  status: string
  message: string
  metadata: unknown
  start_time: number
  end_time: number | null
}

const DRIVER = {
  type: 'DRIVER',
  job_id: '01000000',
  submission_id: null,
  status: 'RUNNING',
  metadata: {},
  message: null,
}

export async function startFakeRay({ token }: { token: string | null }): Promise<FakeRay> {
  const jobs = new Map<string, StoredJob>()
  const submitted: FakeRay['submitted'] = new Map()
  const fake = { log: '' }

  async function answer(request: IncomingMessage): Promise<[status: number, body: string]> {
    const { method, url = '', headers } = request
    if (token !== null && headers.authorization !== `Bearer ${token}`)
      return [401, 'Unauthorized: Missing authentication token']
    if (method === 'POST' && Object.keys(headers).some((name) => name.startsWith('sec-fetch')))
      return [405, "'POST' method not allowed for browser traffic."]
    const route = /^\/api\/jobs\/([^/]*)\/?(\w*)$/.exec(url)
    if (route === null) return [404, '404: Not Found']
    const [, id = '', action = ''] = route
    if (method === 'POST' && id === '') {
      const body = JSON.parse(await textOf(request)) as Record<string, unknown>
      const name = String(body['submission_id'])
      if (jobs.has(name))
        return [
          500,
          `Traceback (most recent call last):\n  File "job_head.py", line 1\nValueError: Job with submission_id ${name} already exists.`,
        ]
      submitted.set(name, body)
      jobs.set(name, {
        status: 'RUNNING',
        message: 'Job is currently running.',
        metadata: body['metadata'],
        start_time: 1_795_000_000_000 + jobs.size,
        end_time: null,
      })
      return [200, JSON.stringify({ job_id: name, submission_id: name })]
    }
    if (id === '') {
      const list = [...jobs].map(([name, job]) => ({
        type: 'SUBMISSION',
        job_id: null,
        submission_id: name,
        entrypoint: '',
        ...job,
      }))
      return [200, JSON.stringify([...list, DRIVER])]
    }
    const job = jobs.get(decodeURIComponent(id))
    if (job === undefined) return [404, `Job ${id} does not exist`]
    if (action === 'logs') return [200, JSON.stringify({ logs: fake.log })]
    const isRunning = job.status === 'RUNNING'
    if (isRunning) Object.assign(job, { status: 'STOPPED', message: 'Job was intentionally stopped.' })
    return [200, JSON.stringify({ stopped: isRunning })]
  }

  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => response.writeHead(status).end(body))
  })
  return Object.assign(fake, {
    ...(await listenLocally(server)),
    submitted,
    settle(submissionId: string, status: string, message: string) {
      Object.assign(jobs.get(submissionId)!, { status, message, end_time: 1_795_000_100_000 })
    },
  })
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) text += String(part)
  return text
}
