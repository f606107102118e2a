// The test of models, in a process of its own: it finds what to test in its environment, beside the keys that it needs, sends the result in one
// message, and ends when the channel closes.
import process from 'node:process'
import { PROBE_REQUEST_VARIABLE, ProbeRequest } from '../../../../contract/control/models.ts'
import { probeModels } from './probe-models.ts'

process.on('disconnect', () => process.exit(0))
const request = ProbeRequest.parse(JSON.parse(process.env[PROBE_REQUEST_VARIABLE] ?? '{}'))
process.send!(await probeModels(request, (name) => process.env[name]))
