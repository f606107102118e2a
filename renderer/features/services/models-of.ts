import { z } from 'zod'
import { serviceDescriptor } from '../../../contract/control/service-list.ts'
import { findServiceRoute } from '../../../contract/control/service-routes.ts'
import type { ServiceName } from '../../../contract/control/services.ts'
import { ServiceModel } from '../../../contract/http/service-model.ts'
import { callService } from '../../data/service-call.ts'

const Models = z.array(ServiceModel)
const Answer = z.union([
  z.object({ data: Models }).transform(({ data }) => data),
  z.object({ models: Models }).transform(({ models }) => models),
])

/** Returns true when the service reports models at all. */
export const hasModels = (service: ServiceName): boolean => serviceDescriptor(service).modelsPath !== undefined

/** Returns true when pages may fetch and remove its models; another service does so by itself. */
export const canFetchModels = (service: ServiceName): boolean =>
  findServiceRoute(service, 'POST', '/v1/models/any') !== null

/** The models of a service. Throws `ServiceCallError`, and where it answers in a form of its own. */
export async function modelsOf(service: ServiceName): Promise<ServiceModel[]> {
  const answer = await callService(service, serviceDescriptor(service).modelsPath!)
  const { data } = Answer.safeParse(await answer.json())
  if (data === undefined) throw new Error(`${service} lists its models in a form that this page does not know.`)
  return data
}

const pathOf = (id: string): string => `/v1/models/${id.split('/').map(encodeURIComponent).join('/')}`

/** Settles when the model is there, which may take minutes; the download continues when the caller leaves. Throws `ServiceCallError`. */
export async function fetchModel(service: ServiceName, id: string): Promise<void> {
  await callService(service, pathOf(id), { method: 'POST' })
}

/** Stops a download under way, too. Throws `ServiceCallError`. */
export async function removeModel(service: ServiceName, id: string): Promise<void> {
  await callService(service, pathOf(id), { method: 'DELETE' })
}
