import assert from "node:assert/strict";
import { test } from "node:test";
import { Restarts } from "../src/restarts";

test("a server is started again three times in three minutes", () => {
  let time = 0;
  const restarts = new Restarts(() => time);
  const four = [1, 2, 3, 4].map(() => restarts.areLeft());
  assert.deepEqual(four, [true, true, true, false]);
  time = 200_000;
  assert.ok(restarts.areLeft());
});
