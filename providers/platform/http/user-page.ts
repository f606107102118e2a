import { z } from 'zod'

/** One page of what a user has; an operator has all and may name a user. */
export const UserPage = z.object({
  user_id: z.string().max(256).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
