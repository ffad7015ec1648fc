import { helmTools } from './helm-tools.ts'

/** Two workers would build the same at the same time. */
export default async function setup(): Promise<void> {
  await helmTools()
}
