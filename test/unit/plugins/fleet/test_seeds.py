"""Trials of benchmarks give the same results on any number of workers, in the order of seeds."""

from __future__ import annotations

import argparse
from contextlib import contextmanager

import seeds
from support.tasks import later_seeds_first


def test_results_are_in_the_order_of_seeds_on_any_number_of_workers(client, monkeypatch):
    @contextmanager
    def threads(*_, **__):
        yield client

    monkeypatch.setattr(seeds, "cluster", threads)
    monkeypatch.setenv("PYTHONPATH", "")
    work = [(seed,) for seed in range(6)]
    found = {
        workers: seeds.trials(
            argparse.Namespace(workers=workers, scheduler=None), later_seeds_first, work
        )
        for workers in (0, 2)
    }
    assert found[0] == found[2]
    assert [seed for seed, _ in found[0]] == list(range(6))


def test_options_name_workers_or_a_scheduler():
    parser = argparse.ArgumentParser()
    seeds.add_options(parser)
    assert parser.parse_args([]).workers == 0
    assert parser.parse_args(["--scheduler", "tcp://a:1"]).scheduler == "tcp://a:1"
